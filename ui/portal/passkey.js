// Devices instead of a password: logging in by one, confirming who is here, registering another.
import { send } from "../shared/api.js";
import { ask, begun } from "../shared/session.js";
import { t } from "../shared/i18n.js";

/** Over plain HTTP, and in old browsers, there are none. */
export const able = () => isSecureContext && Boolean(window.PublicKeyCredential?.parseRequestOptionsFromJSON);

const refused = (error) => {
  // Somebody closed the browser's question, or has no device for this place.
  if (error instanceof DOMException) error.words = t("The device did not answer. Nothing was done");
  throw error;
};
const asked = async (start) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(start.public_key);
  const credential = await navigator.credentials.get({ publicKey }).catch(refused);
  return { ceremony_id: start.ceremony_id, credential: credential.toJSON() };
};

/** The person whose device answered. */
export const logInByDevice = async (username) => {
  const start = await send("POST", "/api/auth/webauthn/login/start", { body: { username } });
  return begun(await send("POST", "/api/auth/webauthn/login/finish", { body: await asked(start), session: true }));
};

/** A stolen session is not enough for a new device: the password, or one that is there. */
const confirmed = async (password) => (password ? { password } : asked(await ask("POST", "/api/auth/webauthn/confirm/start", { body: { purpose: "registration" } })));

export const registerDevice = async (name, password) => {
  const start = await ask("POST", "/api/auth/webauthn/register/start", { body: await confirmed(password) });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(start.public_key);
  const credential = await navigator.credentials.create({ publicKey }).catch(refused);
  return ask("POST", "/api/auth/webauthn/register/finish", { body: { ceremony_id: start.ceremony_id, name, credential: credential.toJSON() } });
};
