import { RemoteError } from "./http.ts";

/** A ship option that the carrier does not offer, or not with this value. */
export function notSupported(carrier: string, option: string, reason: string): RemoteError {
  return new RemoteError("option_not_supported", `${carrier} does not support the ship option ${option}: ${reason}`);
}
