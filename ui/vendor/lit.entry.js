// What the pages use of Lit.
export { LitElement, html, svg, nothing } from "lit";
export { directive, Directive, AsyncDirective } from "lit/async-directive.js";
export { repeat } from "lit/directives/repeat.js";
export { live } from "lit/directives/live.js";
export { ref } from "lit/directives/ref.js";
export { keyed } from "lit/directives/keyed.js";
export { classMap } from "lit/directives/class-map.js";
export { ifDefined } from "lit/directives/if-defined.js";
