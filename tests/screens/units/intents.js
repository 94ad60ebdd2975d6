// A command is stored before it is sent, is repeated with the same key until it is answered, and is then removed.
const { begin, drop, keep, resumeAll, settle, waiting } = await of("kit/intents");
const real = window.fetch;
const sent = [];
let kept = 0;
const answers = [
  () => {
    throw new TypeError("no answer came");
  },
  () =>
    new Response(JSON.stringify({ success: false, error: { code: "unavailable", message: "busy" } }), { status: 503 }),
  () => new Response(JSON.stringify({ success: true, data: { done: 1 } }), { status: 201 }),
];
window.fetch = async (url, { headers, body }) => {
  kept = Math.max(kept, (await waiting()).length);
  sent.push([url, headers["Idempotency-Key"], body]);
  return answers[sent.length - 1]();
};
const told = [];
is(
  "what comes of it",
  await begin("usr_1", { url: "/api/pos/holds", body: { note: "x" }, label: "Hold basket" }, null, (error) =>
    told.push(error === null),
  ),
  { done: 1 },
);
is("tries", sent.length, 3);
is("the same each time", new Set(sent.map((one) => JSON.stringify(one))).size, 1);
is("a key that nobody guesses", /^[\w-]{22}$/.test(sent[0][1]), true);
is("told of each", told, [false, false, true]);
is("on the disk while it was sent", kept, 1);
is("gone once it was answered", (await waiting()).length, 0);

// A refusal is an answer; a command that needs a manager waits for the approval.
const refused = (status, code) => {
  answers.push(() => new Response(JSON.stringify({ success: false, error: { code, message: code } }), { status }));
  return begin("usr_1", { url: "/api/pos/holds", label: "Hold basket" }, null).then(
    () => "done",
    (error) => error.code,
  );
};
is("refused", [await refused(409, "invalid_state"), (await waiting()).length], ["invalid_state", 0]);
is("needs a manager", [await refused(403, "approval_required"), (await waiting()).length], ["approval_required", 1]);
const [left] = await waiting();
const asked = sent.length;
is(
  "somebody else's is named and waits for that person",
  [
    (await resumeAll("usr_2", () => {})).map(({ intent, other }) => [intent.key, other]),
    sent.length - asked,
    (await waiting()).length,
  ],
  [[[left.key, true]], 0, 1],
);
// An expired session does not decide a command: it waits for its person, also if its result must be looked up.
answers.push(
  () =>
    new Response(JSON.stringify({ success: false, error: { code: "unauthorized", message: "log in" } }), {
      status: 401,
    }),
);
const ended = (again) =>
  resumeAll("usr_1", () => {}, again).then(
    () => "told",
    (error) => error.status,
  );
is("the session ended", [await ended(), (await waiting()).length], [401, 1]);
await keep("usr_1", { url: "/api/shifts/a/close", label: "Close shift" }, true);
const word = (await waiting()).find(({ approved }) => approved);
is(
  "the session ended behind a look",
  [
    await settle(
      word,
      () => {},
      async () => {
        throw Object.assign(new Error(), { status: 401 });
      },
    ).catch(({ status }) => status),
    (await waiting()).length,
  ],
  [401, 2],
);
await drop(word.key);
answers.push(() => new Response(JSON.stringify({ success: true, data: { done: 2 } }), { status: 200 }));
is(
  "its person's is finished by its key",
  [(await resumeAll("usr_1", () => {})).map(({ done, answer }) => [done, answer.done]), sent.at(-1)[1]],
  [[[true, 2]], left.key],
);
await drop(left.key);
is("nothing is left", (await waiting()).length, 0);
window.fetch = real;
