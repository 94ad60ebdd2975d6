// Values of custom properties, set by the object model: the policy refuses `style` attributes.
import { Directive, directive, nothing } from "../vendor/lit.js";

class Vars extends Directive {
  update(part, [values]) {
    for (const [name, value] of Object.entries(values)) part.element.style.setProperty(name, value);
    return nothing;
  }

  render() {
    return nothing;
  }
}
export const vars = directive(Vars);
