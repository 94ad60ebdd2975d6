// Types that the till's modules can't say themselves: what subclasses say.
import "./entry.js";

declare module "./entry.js" {
  interface LinePage {
    keys(): Record<string, () => unknown>;
    pay(): Promise<unknown>;
    setQty(qty: number): void;
  }
}
