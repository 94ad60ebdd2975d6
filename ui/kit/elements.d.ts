// Types that the modules can't say themselves: what an element is given by a template, and what its subclasses say.
import "./app.js";
import "./combo.js";
import "./controls.js";
import "./date.js";
import "./dialog.js";
import "./list.js";
import "./menu.js";
import "./messages.js";
import "./page.js";
import "../records/form_page.js";

declare global {
  /** What a selector finds has the members of its kind of element; whether it is there, the page knows. */
  interface ParentNode {
    querySelector(selectors: string): any;
    querySelectorAll(selectors: string): NodeListOf<any>;
  }
  interface Element {
    closest(selectors: string): any;
  }
  interface NonElementParentNode {
    getElementById(id: string): any;
  }
  /** A newer version of the pages is served. */
  interface WindowEventMap {
    newer: CustomEvent<string>;
  }
  /** An element of Lit is one of HTML, but for a few names. */
  interface CustomElementRegistry {
    define(name: string, constructor: new () => any): void;
  }
}

declare module "./page.js" {
  interface Page {
    app: any;
    busy: boolean;
    error: any;
    timed?: boolean;
    live?: string[];
    reload?: () => unknown;
    load(more?: boolean): unknown;
  }
}

declare module "./date.js" {
  interface DayField {
    field: string;
    name?: string;
    max?: string;
    choose?: (day: string) => void;
  }
}

declare module "./list.js" {
  interface ListPage {
    pattern: string;
    itemsIn?: string;
    whole?: boolean;
    params?(): Record<string, unknown>;
    /** Of some lists the rows have other figures beside them. */
    answer?: any;
  }
}

declare module "../records/form_page.js" {
  interface FormPage {
    back: any;
    name: string;
    lines: any[];
    body(): any;
    save(body: any): Promise<unknown>;
  }
}

declare module "./messages.js" {
  interface Messages {
    locked: any;
    user: any;
    newer?: string;
    isCalm(): boolean;
    show(page: string): Promise<void>;
    focusPage(): Promise<void>;
  }
}

declare module "./app.js" {
  interface App {
    register?: string | null;
    later?: Record<string, () => Promise<unknown>>;
    entered(user: any): Promise<void>;
    left?(): void;
  }
}

declare module "./menu.js" {
  interface MenuApp {
    section: string;
    live?: any;
    wanted?: string;
    given?: Record<string, any>;
    brand(): string;
    body(): unknown;
  }
}

declare module "./controls.js" {
  interface Retry {
    error: any;
    act: () => unknown;
  }
}

declare module "./combo.js" {
  interface Combo {
    of: any;
    value: any;
    several: boolean;
    adds: boolean;
    disabled: boolean;
    field: string;
    name: string;
    label: string;
    choose?: (value: any) => void;
    error: string | null;
    own?: boolean;
  }
}

declare module "./dialog.js" {
  interface XDialog {
    question: any;
    error: string | null;
    busy: boolean;
    away: boolean;
    pad?(scope: string): unknown;
  }
}
