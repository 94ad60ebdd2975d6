// The types of what `lit.entry.js` exports, as far as the pages use them.
type Part = any;
export type Template = any;

/** Pages give these names another meaning. */
type Own = "part" | "before" | "after";
export interface LitElement extends Omit<HTMLElement, Own> {}
export declare class LitElement {
  static properties: Record<
    string,
    { state?: boolean; attribute?: boolean; hasChanged?: (now: any, before: any) => boolean }
  >;
  readonly updateComplete: Promise<boolean>;
  connectedCallback(): void;
  disconnectedCallback(): void;
  requestUpdate(): void;
  createRenderRoot(): unknown;
  render(): unknown;
  willUpdate(changed: Map<PropertyKey, unknown>): void;
  firstUpdated(changed: Map<PropertyKey, unknown>): void;
  updated(changed: Map<PropertyKey, unknown>): void;
}

export declare const html: (strings: TemplateStringsArray, ...values: unknown[]) => Template;
export declare const svg: (strings: TemplateStringsArray, ...values: unknown[]) => Template;
export declare const nothing: any;

export declare class Directive {
  render(...values: any[]): unknown;
  update(part: Part, values: any[]): unknown;
}
export declare class AsyncDirective extends Directive {
  readonly isConnected: boolean;
  setValue(value: unknown): void;
  disconnected(): void;
  reconnected(): void;
}
export declare const directive: <D extends Directive>(
  kind: new (part: Part) => D,
) => (...values: Parameters<D["render"]>) => Template;
export declare const repeat: <T>(
  items: Iterable<T>,
  key: (item: T, index: number) => unknown,
  template?: (item: T, index: number) => unknown,
) => Template;
export declare const live: (value: unknown) => Template;
export declare const ref: (to: (element: any) => void) => Template;
export declare const keyed: (key: unknown, value: unknown) => Template;
export declare const classMap: (classes: Record<string, unknown>) => Template;
export declare const ifDefined: (value: unknown) => Template;
