const make = (name, text, ...children) => {
  const node = document.createElement(name);
  if (text !== undefined && text !== null) node.textContent = text;
  node.append(...children);
  return node;
};
const json = (value) => make("pre", JSON.stringify(value, null, 2));
let api = {};
const resolve = (value) => {
  while (value && value.$ref) {
    value = value.$ref
      .slice(2)
      .split("/")
      .reduce((at, key) => at[key], api);
  }
  return value;
};
const kind = (schema) => {
  if (!schema || schema === true) return "any";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const options = schema.anyOf || schema.oneOf;
  if (options && !schema.properties) return options.map(kind).join(" | ");
  if (schema.type === "array") return "[" + kind(schema.items) + "]";
  return [].concat(schema.type || "any").join(" | ") + (schema.format ? " (" + schema.format + ")" : "");
};
const row = (...cells) => make("tr", null, ...cells.map((cell) => make("td", null, cell)));
const shape = (schema, depth = 0) => {
  const whole = resolve(schema) || {};
  const box = make("div");
  if (whole.description) box.append(make("small", whole.description));
  const table = make("table");
  const nested = [];
  for (const [name, field] of Object.entries(whole.properties || {})) {
    const must = (whole.required || []).includes(name) ? "" : "?";
    table.append(row(make("code", name + must), make("code", kind(field)), resolve(field)?.description || ""));
    const below = [field, field.items, ...(field.anyOf || [])].find((part) => part && resolve(part)?.properties);
    if (below && depth < 3) nested.push(make("h4", name), shape(below, depth + 1));
  }
  if (table.childNodes.length) box.append(table);
  box.append(...nested);
  return box;
};
const parameters = (list) => {
  const table = make("table");
  for (const given of list.map(resolve)) {
    const name = given.name + (given.required ? "" : "?");
    table.append(row(make("code", name), given.in, make("code", kind(given.schema)), given.description || ""));
  }
  return table;
};
const operation = (path, method, op) => {
  const head = make(
    "summary",
    null,
    make("b", method.toUpperCase()),
    make("code", path),
    " ",
    make("small", op.summary),
  );
  const box = make("details", null, head);
  box.dataset.text = [method, path, op.summary, ...(op["x-roles"] || [])].join(" ").toLowerCase();
  const who = op["x-roles"] ? op["x-roles"].join(", ") : op.security.length ? "a store's own token" : "anyone";
  const fill = () => {
    box.append(make("p", "Who: " + who));
    if (op["x-idempotency-reason"])
      box.append(make("p", "Idempotency-Key has no effect: " + op["x-idempotency-reason"]));
    if (op.parameters.length) box.append(make("h4", "Parameters"), parameters(op.parameters));
    for (const [media, body] of Object.entries(op.requestBody?.content || {})) {
      box.append(make("h4", "Body, " + media), shape(body.schema), json(body.example));
    }
    for (const [status, given] of Object.entries(op.responses)) {
      const answer = resolve(given);
      box.append(make("h4", status), make("p", answer.description));
      for (const [media, body] of Object.entries(answer.content || {})) {
        if (status >= "300") continue;
        const data = body.schema?.properties?.data;
        box.append(make("small", media), data ? shape(data) : make("div"));
        if (body.example) box.append(json(body.example));
      }
    }
  };
  box.addEventListener("toggle", fill, { once: true });
  return box;
};
const show = () => {
  document.title = document.getElementById("title").textContent = api.info.title + " " + api.info.version;
  document.getElementById("about").textContent = api.info.description;
  const main = document.getElementById("main");
  for (const tag of api.tags) {
    const section = make("section", null, make("h2", tag.name));
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, op] of Object.entries(methods)) {
        if (op.tags.includes(tag.name)) section.append(operation(path, method, op));
      }
    }
    main.append(section);
  }
  const codes = api.components.schemas.ErrorCode;
  const table = make("table");
  for (const code of codes.enum) table.append(row(String(codes["x-status"][code]), make("code", code)));
  main.append(make("h2", "Error codes"), table);
};
document.getElementById("filter").addEventListener("input", (/** @type {any} */ event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const box of document.querySelectorAll("details")) {
    box.hidden = !words.every((word) => box.dataset.text.includes(word));
  }
});
fetch("/api/openapi.json")
  .then((answer) => answer.json())
  .then((document) => {
    api = document;
    show();
  })
  .catch((problem) => {
    document.getElementById("about").textContent = "The document can't be read: " + problem;
  });
