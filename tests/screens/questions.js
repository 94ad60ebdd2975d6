// Opens the questions that the buttons of a page open. Nothing is changed: what the page sends is refused.
(() => {
  const real = window.fetch;
  const refusal = { success: false, error: { code: "conflict", message: "refused", request_id: "req_0" } };
  window.fetch = (url, options) =>
    (options?.method ?? "GET") === "GET" || String(url).startsWith("/api/auth/")
      ? real(url, options)
      : Promise.resolve(new Response(JSON.stringify(refusal), { status: 409 }));
  window.print = () => {};

  const all = () => [...document.querySelectorAll("main button")];
  /** What buttons in the rows of one table have in common. */
  const kind = (one) =>
    one.closest("td")
      ? `${one.closest("td").cellIndex} ${one.className} ${one.querySelector("use")?.getAttribute("href")}`
      : (one.innerText || one.ariaLabel || one.title).replaceAll(/\d+/g, "");
  /** Kinds that were pressed on this page, in one language, and the button that was pressed last. */
  let pressed = new Set();
  let last = null;
  const begin = () => {
    pressed = new Set();
  };
  /** One that may be pressed and is of no kind that was. What a press changed may have moved, added or removed some. */
  const next = () =>
    all().find(
      // The browser opens its calendar for a person's press only.
      (one) => !one.disabled && one.checkVisibility() && !one.closest(".dated") && !pressed.has(kind(one)),
    );
  const press = async (one) => {
    one.click();
    await examine.quiet();
    return document.querySelector("dialog[open] h2")?.innerText ?? "";
  };
  /** Presses the next button: the title of the question that it opens, empty where it does something else. */
  const first = async () => {
    await examine.drawn();
    last = next() ?? null;
    if (!last) return null;
    pressed.add(kind(last));
    return press(last);
  };
  /** Presses it again. */
  const again = async () => {
    await examine.drawn();
    return last.isConnected ? press(last) : null;
  };
  window.questions = { begin, first, again };
})();
