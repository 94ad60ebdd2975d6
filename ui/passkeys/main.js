const at = (id) => document.getElementById(id);
const tell = (text) => { at("told").textContent = text; };
// Kept in this variable and nowhere else; the refresh token is in a cookie that scripts can't read.
let token = null;

const call = async (method, path, body) => {
  const headers = { "X-Session": "cookie" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const said = await answer.json();
  if (!said.success) throw new Error(`${said.error.code}: ${said.error.message}`);
  return said.data;
};
const post = (path, body) => call("POST", `/api/auth/${path}`, body);
const able = () => {
  if (!window.isSecureContext) throw new Error("passkeys need HTTPS or localhost");
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) throw new Error("this browser has no passkeys");
};

const show = async () => {
  at("out").hidden = Boolean(token);
  at("in").hidden = !token;
  at("devices").replaceChildren();
  if (!token) return;
  const { items } = await call("GET", "/api/auth/webauthn/credentials?limit=500");
  for (const { credential_id: id, name } of items) {
    const remove = document.createElement("button");
    remove.textContent = "Remove";
    remove.addEventListener("click", does(async () => {
      await call("DELETE", `/api/auth/webauthn/credentials/${encodeURIComponent(id)}`);
      await show();
      return "Removed";
    }));
    const item = document.createElement("li");
    item.append(name, remove);
    at("devices").append(item);
  }
};
const entered = async (data) => {
  token = data.token;
  at("who").textContent = data.user.name;
  at("password").value = "";
  await show();
  return "Logged in";
};
/** Runs one step at a time and tells how it ended. */
const does = (step) => async (event) => {
  event.preventDefault();
  tell("…");
  try { tell(await step()); } catch (error) { tell(`Refused: ${error.message}`); }
};

at("enter").addEventListener("click", does(async () =>
  entered(await post("login", { username: at("username").value, password: at("password").value }))));
at("out").addEventListener("submit", does(async () => {
  able();
  const begun = await post("webauthn/login/start", { username: at("username").value });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.public_key);
  const credential = await navigator.credentials.get({ publicKey });
  return entered(await post("webauthn/login/finish",
    { ceremony_id: begun.ceremony_id, credential: credential.toJSON() }));
}));
/** What a stolen session lacks: the password, or a device that is registered. */
const confirmation = async () => {
  const password = at("again").value;
  if (password) return { password };
  const begun = await post("webauthn/confirm/start", { purpose: "registration" });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.public_key);
  const credential = await navigator.credentials.get({ publicKey });
  return { ceremony_id: begun.ceremony_id, credential: credential.toJSON() };
};
at("register").addEventListener("click", does(async () => {
  able();
  const begun = await post("webauthn/register/start", await confirmation());
  at("again").value = "";
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(begun.public_key);
  const credential = await navigator.credentials.create({ publicKey });
  await post("webauthn/register/finish",
    { ceremony_id: begun.ceremony_id, name: at("name").value, credential: credential.toJSON() });
  await show();
  return "Registered";
}));
at("leave").addEventListener("click", does(async () => {
  await post("logout", {});
  token = null;
  await show();
  return "Logged out";
}));
