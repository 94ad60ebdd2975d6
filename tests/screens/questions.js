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
      : one.innerText || one.ariaLabel || one.title;
  /** The places of those that may be pressed, one of each kind. */
  const buttons = () => {
    const kinds = new Set();
    return all().flatMap((one, at) => {
      // The browser opens its calendar for a person's press only.
      if (one.disabled || !one.checkVisibility() || one.closest(".dated") || kinds.has(kind(one))) return [];
      kinds.add(kind(one));
      return [at];
    });
  };
  /** The title of the question that the button opens; null where it does something else. */
  const press = async (at) => {
    await examine.drawn();
    all()[at]?.click();
    await examine.quiet();
    return document.querySelector("dialog[open] h2")?.innerText ?? null;
  };
  window.questions = { buttons, press };
})();
