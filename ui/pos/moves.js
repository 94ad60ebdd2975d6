// How cash moves in and out of the drawer without a sale, and the keys that do it on the page of the shift.

/** @type {{ type: string, icon: string, letter: string }[]} */
export const MOVES = [
  { type: "pay_in", icon: "plus", letter: "I" },
  { type: "pay_out", icon: "minus", letter: "O" },
  { type: "drop", icon: "lock", letter: "D" },
  { type: "no_sale", icon: "inbox", letter: "N" },
];
