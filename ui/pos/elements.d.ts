// Types that the till's modules can't say themselves: what subclasses say.
import "../touch/pad.js";
import "./entry.js";

declare module "../touch/pad.js" {
  interface NumPad {
    scope: string;
  }
}

declare module "./entry.js" {
  interface LinePage {
    keys(): Record<string, () => unknown>;
    pay(): Promise<unknown>;
    setQty(qty: number): void;
  }
}
