// Opens the dialogs of a page's buttons. Nothing is changed, because requests of the page are refused.
(() => {
  const real = window.fetch;
  const refusal = { success: false, error: { code: "conflict", message: "refused", request_id: "req_0" } };
  window.fetch = (url, options) =>
    (options?.method ?? "GET") === "GET" || String(url).startsWith("/api/auth/")
      ? real(url, options)
      : Promise.resolve(new Response(JSON.stringify(refusal), { status: 409 }));
  window.print = () => {};

  const all = () => [...document.querySelectorAll("main button")];
  /** Returns what the buttons in the rows of one table have in common. */
  const kind = (one) =>
    one.closest("td")
      ? `${one.closest("td").cellIndex} ${one.className} ${one.querySelector("use")?.getAttribute("href")}`
      : (one.innerText || one.ariaLabel || one.title).replaceAll(/\d+/g, "");
  /** Kinds that were pressed on this page in one language, and the last pressed button. */
  let pressed = new Set();
  let last = null;
  const begin = () => {
    pressed = new Set();
  };
  /**
   * Returns the next usable button of a kind that was not pressed yet. A press may have moved, added or removed
   * buttons.
   */
  const next = () =>
    all().find(
      // The browser opens its calendar only when a person presses.
      (one) => !one.disabled && one.checkVisibility() && !one.closest(".dated") && !pressed.has(kind(one)),
    );
  const press = async (one) => {
    one.click();
    await examine.quiet();
    return document.querySelector("dialog[open] h2")?.innerText ?? "";
  };
  /** Presses the next button. Returns the title of the dialog that it opens, or an empty string. */
  const first = async () => {
    await examine.drawn();
    last = next() ?? null;
    if (!last) return null;
    pressed.add(kind(last));
    return press(last);
  };
  /** Presses the last button again. */
  const again = async () => {
    await examine.drawn();
    return last.isConnected ? press(last) : null;
  };
  window.questions = { begin, first, again };
})();
