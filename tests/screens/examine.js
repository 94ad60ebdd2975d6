// Checks of a page, which run inside it. They are loaded before any script of the page, and its policy does not apply
// to them.
(() => {
  const frame = window.requestAnimationFrame.bind(window);
  const asked = new Map();
  const timers = new Map();
  let moved = true;

  // ---- pending work: requests, timers, changes

  const real = window.fetch.bind(window);
  window.fetch = async (url, options) => {
    if (String(url).startsWith("/api/events")) return real(url, options);
    const request = {};
    asked.set(request, `${options?.method ?? "GET"} ${url}`);
    // The reader of the answer continues before the request counts as done.
    const over = () => setTimeout(() => asked.delete(request));
    try {
      const answer = await real(url, options);
      const text = answer.text.bind(answer);
      answer.text = () => text().finally(over);
      if (!answer.body) over();
      return answer;
    } catch (error) {
      over();
      throw error;
    }
  };
  const { setTimeout: later, setInterval: every, clearTimeout: forget } = window;
  window.setTimeout = (act, delay = 0, ...values) => {
    const id = later(
      () => {
        timers.delete(id);
        act(...values);
      },
      delay * (window.pace ?? 1),
    );
    timers.set(id, delay);
    return id;
  };
  window.setInterval = (act, delay = 0, ...values) => {
    const id = every(act, delay * (window.pace ?? 1), ...values);
    timers.set(id, delay);
    return id;
  };
  window.clearTimeout = window.clearInterval = (id) => {
    timers.delete(id);
    forget(id);
  };
  document.addEventListener("DOMContentLoaded", () => {
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver(() => {
      moved = true;
    }).observe(document.body, all);
  });

  const FAST_MS = 1000;
  const STILL_FRAMES = 3;
  const FRAMES_MAX = 900;
  const unrest = () => {
    const fast = [...timers.values()].filter((delay) => delay < FAST_MS);
    if (asked.size) return `still asks ${[...asked.values()]}`;
    if (document.querySelector(".bones,[aria-busy=true]")) return "still loads";
    return fast.length ? `a timer of ${fast} ms` : null;
  };
  /** Waits until no request, drawing or timer is pending. Otherwise returns what is pending. */
  const quiet = async () => {
    for (let frames = 0, still = 0; still < STILL_FRAMES; frames += 1) {
      if (frames > FRAMES_MAX) return unrest() ?? "is drawn over and over";
      moved = false;
      await new Promise((go) => {
        frame(go);
      });
      still = moved || unrest() ? 0 : still + 1;
    }
    return null;
  };

  /** Waits until requested changes are drawn. */
  const drawn = () =>
    new Promise((go) => {
      frame(() => frame(() => go(null)));
    });

  // ---- ways through an app

  const app = () => document.querySelector("portal-app, admin-app, pos-app");
  /** Opens an address of an app with a menu, and returns the name of the page. */
  const go = async (hash) => {
    const shell = app();
    if (!Object.hasOwn(shell, "route")) {
      shell.route = () => {
        window.routed = Object.getPrototypeOf(shell).route.call(shell);
        return window.routed;
      };
    }
    if (location.hash === hash) shell.route();
    else {
      const came = new Promise((told) => {
        addEventListener("hashchange", told, { once: true });
      });
      location.hash = hash;
      await came;
    }
    await window.routed;
    return {
      trouble: await quiet(),
      page: shell.page,
      links: [...document.querySelectorAll("main a[href^='#/']")].map((one) => one.getAttribute("href")),
    };
  };
  const show = async (page) => {
    await app().show(page);
    return quiet();
  };

  // ---- layout

  const name = (one) =>
    [
      `<${one.localName}${one.id ? ` #${one.id}` : ""} class="${one.getAttribute("class") ?? ""}">`,
      (one.innerText ?? one.textContent).trim().slice(0, 40),
    ].join(" ");
  const seen = (one) =>
    one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && one.getClientRects().length > 0;
  const hides = (way) => way === "hidden" || way === "clip";
  /** Whether the element is only for screen readers. */
  const unseen = (style) => style.clipPath !== "none";

  const cut = (one) => {
    const style = getComputedStyle(one);
    // A truncated figure reads as a different figure.
    if (one.matches("input.num")) return seen(one) && one.scrollWidth > one.clientWidth + 1;
    if (one.matches("input, select, textarea, svg, svg *") || unseen(style) || !one.clientWidth) return false;
    const wide = hides(style.overflowX) && style.textOverflow !== "ellipsis" && one.scrollWidth > one.clientWidth + 2;
    return wide || (hides(style.overflowY) && one.scrollHeight > one.clientHeight + 2);
  };
  const PHONE_PX = 767;
  const NARROW_PX = 160;
  const TALL_PX = 100;
  /**
   * On a phone a table folds, so figures beside the window are not seen. An element that scrolls by design is marked.
   */
  const sideways = (one) =>
    innerWidth <= PHONE_PX &&
    one.scrollWidth > one.clientWidth + 1 &&
    !one.matches(".tabs, .paper, pre, code") &&
    ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  /** Whether a text is squeezed into a column of a word or two. */
  const squeezed = (cell) => {
    if (cell.clientWidth > NARROW_PX || cell.clientHeight <= TALL_PX) return false;
    const text = document.createRange();
    text.selectNodeContents(cell);
    return text.getBoundingClientRect().height > TALL_PX;
  };
  /** Whether a cell's text is drawn over the next one. */
  const spills = (cell) => cell.clientWidth > 0 && cell.scrollWidth > cell.clientWidth + 1;
  /** Whether the digits of one figure are in two lines, so that a reader sees only the first. */
  const torn = (one) =>
    [...one.childNodes].some((node) => {
      const found = node.nodeType === Node.TEXT_NODE && /\d[\d.,]{2,}/.exec(node.data);
      if (!found) return false;
      const text = document.createRange();
      text.setStart(node, found.index);
      text.setEnd(node, found.index + found[0].length);
      return text.getClientRects().length > 1;
    });
  /** Whether a person can press the element: it is completely on the screen, and nothing covers it. */
  const pressable = (one) => {
    one.scrollIntoView({ block: "center", inline: "center" });
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return (
      left >= -1 && right <= innerWidth + 1 && top >= -1 && bottom <= innerHeight + 1 && at !== null && one.contains(at)
    );
  };
  /** Returns the elements that do not fit into the window. */
  const fits = () => {
    const wrong = [];
    const root = document.documentElement;
    for (const part of [root, ...document.querySelectorAll("main")])
      if (part.scrollWidth > part.clientWidth + (part === root ? 0 : 1))
        wrong.push(`${part.localName} is ${part.scrollWidth} px wide: ${widest(part)}`);
    for (const one of document.body.querySelectorAll("*")) if (cut(one) && seen(one)) wrong.push(`cut: ${name(one)}`);
    for (const one of document.querySelectorAll("main *"))
      if (sideways(one) && seen(one))
        wrong.push(`scrolls sideways, ${one.scrollWidth} px in ${one.clientWidth}: ${widest(one)}`);
    for (const one of document.querySelectorAll("td"))
      if ((squeezed(one) || spills(one)) && seen(one))
        wrong.push(`${spills(one) ? "spills" : "squeezed"} at ${one.clientWidth} px: ${name(one)}`);
    for (const one of document.querySelectorAll(".figures dd:not(.muted), .num, .total"))
      if (torn(one) && seen(one)) wrong.push(`torn: ${name(one)}`);
    const within = document.querySelector("dialog[open]") ?? document.querySelector("main");
    for (const one of within?.querySelectorAll(".primary, .pay") ?? [])
      if (seen(one) && !pressable(one)) wrong.push(`out of reach: ${name(one)}`);
    for (const part of [root, ...document.querySelectorAll("main")]) part.scrollTo(0, 0);
    return wrong;
  };
  const widest = (part) => {
    const edge = part.getBoundingClientRect().left + part.clientWidth;
    const over = [...part.querySelectorAll("*")].filter(
      (one) =>
        seen(one) &&
        one.getBoundingClientRect().right > edge + 1 &&
        ![...one.children].some((child) => child.getBoundingClientRect().right > edge + 1),
    );
    return over.slice(0, 2).map(name).join(" and ");
  };

  /** Returns the texts and controls that overlap others. */
  const overlaps = () => {
    const kinds = "a[href], button, input, select, textarea, label, h1, h2, dt, dd, td, th, p";
    const within = document.querySelector("dialog[open]") ?? document.querySelector("main");
    const still = (one) => {
      for (let part = one; part && part !== within; part = part.parentElement)
        if (["fixed", "sticky", "absolute"].includes(getComputedStyle(part).position)) return false;
      return true;
    };
    const all = [...within.querySelectorAll(kinds)]
      .filter((one) => seen(one) && still(one) && !one.closest(".vh"))
      .map((one) => ({ one, boxes: [...one.getClientRects()] }));
    const over = (a, b) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    const wrong = [];
    for (const [at, { one, boxes }] of all.entries())
      for (const other of all.slice(at + 1))
        if (
          !one.contains(other.one) &&
          !other.one.contains(one) &&
          boxes.some((a) => other.boxes.some((b) => over(a, b)))
        )
          wrong.push(`${name(one)} lies over ${name(other.one)}`);
    return wrong.slice(0, 5);
  };

  /** Returns the number of elements of the page, with as many rows as its list loads at once. */
  const elements = (atOnce) => {
    const all = document.querySelectorAll("*").length;
    const page = document.querySelector("main")?.firstElementChild;
    const rows = page?.items?.length;
    if (!rows || !("next" in page) || page.whole) return all;
    const inside = [...page.querySelectorAll("tbody")].reduce(
      (sum, body) => sum + body.querySelectorAll("*").length,
      0,
    );
    return Math.round(all + (inside / rows) * Math.max(0, atOnce - rows));
  };

  // ---- use without a mouse

  const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
  const controls = () => {
    // Controls behind a dialog are disabled until it is answered.
    const within = document.querySelector("dialog[open]") ?? document;
    const all = [...within.querySelectorAll(CONTROLS)].filter((one) => one.tabIndex >= 0 && !one.disabled && seen(one));
    // A group of radio buttons is one stop.
    return all.filter(
      (one) => one.type !== "radio" || one.checked || !all.some((other) => other.name === one.name && other.checked),
    );
  };
  // A weak set, so that the check does not keep elements that the page has removed.
  let reached = new WeakSet();
  document.addEventListener("focusin", (event) => reached.add(event.target), { capture: true });
  /** Prepares for the first Tab; returns the number of tabs to press. A date has three parts and its calendar. */
  const tabsBegin = () => {
    reached = new WeakSet();
    document.activeElement?.blur();
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
    const all = controls();
    return all.length + 3 * all.filter(({ type }) => type === "date").length + 6;
  };
  const ringed = (one) => {
    const has = (style) =>
      (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) || style.boxShadow !== "none";
    return (
      has(getComputedStyle(one)) ||
      [...document.querySelectorAll(":focus-within")].some(
        (around) => around.contains(one) && around.matches(".line, .searching") && has(getComputedStyle(around)),
      )
    );
  };
  const covered = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const points = [
      [left + 2, top + 2],
      [right - 2, top + 2],
      [(left + right) / 2, (top + bottom) / 2],
      [left + 2, bottom - 2],
      [right - 2, bottom - 2],
    ];
    return !points.some(([x, y]) => {
      const at = document.elementFromPoint(x, y);
      return at && (one.contains(at) || at.contains(one));
    });
  };
  /**
   * Returns, after the last Tab, the controls that were never reached, have no visible ring, or were covered when
   * focused.
   */
  const tabsEnd = () =>
    controls().flatMap((one) => {
      if (!reached.has(one)) return [`no Tab reaches ${name(one)}`];
      one.focus({ focusVisible: true });
      return [
        ...(ringed(one) ? [] : [`no ring at ${name(one)}`]),
        ...(covered(one) ? [`under something: ${name(one)}`] : []),
      ];
    });

  // ---- texts of users

  const alone = (node) => {
    const text = node.data.trim();
    if (text.includes("\u2068")) return true;
    for (let one = node.parentElement; one; one = one.parentElement) {
      if (one.textContent.trim() !== text) return false;
      const style = getComputedStyle(one);
      if (
        !style.display.startsWith("inline") ||
        style.display !== "inline" ||
        style.unicodeBidi.startsWith("isolate") ||
        style.unicodeBidi === "plaintext"
      )
        return true;
    }
    return true;
  };
  const solid = (text) => text.replace(/\s+/g, "");
  /** Whether the text is on the page; otherwise what happened to it: run, changed, or drawn over its neighbour. */
  const typed = (text) => {
    const wrong = [...document.querySelectorAll("img[src=x], svg[onload], [onerror]")].map(
      (one) => `made an element: ${name(one)}`,
    );
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const [, mark] = /(onerror=)/.exec(text);
    let shown = false;
    while (nodes.nextNode()) {
      const { currentNode: node } = nodes;
      if (!node.data.includes(mark)) continue;
      shown = true;
      // Paper wraps texts that are wider than it.
      const onPaper = node.parentElement.closest(".paper") !== null;
      const same = onPaper ? solid(node.data).includes(solid(text)) : node.data.includes(text);
      if (!same) wrong.push(`changed: ${node.data.trim().slice(0, 90)}`);
      else if (!alone(node)) wrong.push(`not isolated: ${name(node.parentElement)}`);
    }
    return { wrong, shown };
  };

  window.examine = { app, drawn, elements, fits, go, overlaps, quiet, show, tabsBegin, tabsEnd, typed };
})();
