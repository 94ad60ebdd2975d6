// A new passkey of this device.
import { touched } from "../kit/session.js";

/** What the device answers to the registration that began. */
export const creation = async ({ ceremony_id: id, public_key: asked }) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked);
  return { ceremony_id: id, credential: (await touched(() => navigator.credentials.create({ publicKey }))).toJSON() };
};
