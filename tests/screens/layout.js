// Layout problems in the window as it is: truncated texts, overlapping buttons, targets too small for a finger, actions
// out of reach.
const SLACK_PX = 1.5;
const FINGER_PX = 44;
const PAY_PX = 72;
const TARGETS =
  "button, a[href], input:not([type=checkbox], [type=radio]), select, textarea, label:has([type=checkbox])";
const FIXED = ["dialog footer", ".dock", "header.bar", ".side .foot"];
/** The boxes in which a text must stay. */
const BOXES = "button, td, th, dt, dd, label, h1, h2, p, .display, .row > *, .tile > *, .mt > *, .results li > *";

const name = (one) => `<${one.localName} ${one.id || one.className}> ${one.textContent.trim().slice(0, 30)}`;
const seen = (one) =>
  one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
  !one.closest(".vh") &&
  getComputedStyle(one).clipPath === "none" &&
  one.getClientRects().length > 0;
const within = () => document.querySelector("dialog[open]") ?? examine.app();

/** Returns the part of an element that is not scrolled away. */
const shown = (one) => {
  let { left, right, top, bottom } = one.getBoundingClientRect();
  for (let around = one.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflow === "visible") continue;
    const box = around.getBoundingClientRect();
    [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
    [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
  }
  return { left, right, top, bottom };
};

const cut = (root) => {
  const wrong = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: node } = texts;
    const own = node.parentElement;
    const box = own.closest(BOXES);
    if (!node.data.trim() || !box || !root.contains(box) || !seen(own) || own.closest(".paper, pre, select, svg"))
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const inside = box.getBoundingClientRect();
    for (const { left, right, width } of range.getClientRects())
      if (width && (left < inside.left - SLACK_PX || right > inside.right + SLACK_PX)) {
        wrong.push(`cut by ${Math.round(Math.max(inside.left - left, right - inside.right))} px: ${name(own)}`);
        break;
      }
  }
  return wrong;
};

const overlapping = (targets) => {
  const wrong = [];
  const boxes = targets.map((one) => [one, shown(one)]);
  boxes.forEach(([one, a], index) => {
    for (const [other, b] of boxes.slice(index + 1)) {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const nested = one.contains(other) || other.contains(one);
      // The fields of a dialog scroll under its footer, as a page does under its bar and its dock.
      const foot = FIXED.some((part) => Boolean(one.closest(part)) !== Boolean(other.closest(part)));
      if (wide > SLACK_PX && high > SLACK_PX && !nested && !foot) wrong.push(`${name(one)} lies over ${name(other)}`);
    }
  });
  return wrong;
};

/** A link in a sentence is as high as the sentence. */
const inSentence = (one) =>
  one.matches("a") &&
  [...one.parentElement.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
/** If a whole row opens, the row is the target of its link. */
const small = (targets) =>
  targets
    .filter((one) => !inSentence(one))
    .map((one) => [one, (one.matches("tr.open a") ? one.closest("tr") : one).getBoundingClientRect()])
    .filter(([, { width, height }]) => Math.min(width, height) < FINGER_PX - 0.5)
    .map(([one, { width, height }]) => `${Math.round(width)} by ${Math.round(height)} px: ${name(one)}`);

/** On the page of the basket all actions are in the window, and Pay has its full height. */
const reachable = () => {
  const pay = document.querySelector("page-sell .side .pay");
  if (!pay || within().localName === "dialog") return [];
  const wrong = pay.clientHeight === PAY_PX ? [] : [`Pay is ${pay.clientHeight} px high`];
  for (const one of document.querySelectorAll("page-sell .side button")) {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    if (seen(one) && (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight))
      wrong.push(`out of the window: ${name(one)}`);
  }
  return wrong;
};

/** Returns the figures that are longer than their field. */
const figures = (root) =>
  [...root.querySelectorAll("input.num")]
    .filter((one) => seen(one) && one.scrollWidth > one.clientWidth + 1)
    .map((one) => `“${one.value}” is ${one.scrollWidth} px wide in ${one.clientWidth}: ${name(one)}`);

const looked = () => {
  const root = within();
  const targets = [...root.querySelectorAll(TARGETS)].filter((one) => seen(one) && !one.closest("label label"));
  const wide = [document.documentElement, ...document.querySelectorAll("main, dialog")]
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => `${one.localName} is ${one.scrollWidth} px wide in ${one.clientWidth}`);
  return [...wide, ...cut(root), ...figures(root), ...overlapping(targets), ...small(targets), ...reachable()];
};
