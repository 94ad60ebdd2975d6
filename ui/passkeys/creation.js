// A new passkey of this device.
import { touched } from "../kit/session.js";

/** Returns the device's answer to a registration that was started. */
export const creation = async ({ ceremony_id: id, public_key: asked }) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked);
  return { ceremony_id: id, credential: (await touched(() => navigator.credentials.create({ publicKey }))).toJSON() };
};
