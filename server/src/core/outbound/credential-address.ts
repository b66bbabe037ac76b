import { isIP } from "node:net";
import { HubError } from "../errors.ts";
import { RemoteError } from "../remote-error.ts";
import { addressProblem, bareHost } from "./outbound-guard.ts";

/**
 * Credentials belong to the address they were entered for. A caller who may change a bridge or a carrier account, but does not know its
 * credentials, must not be able to have them sent to another server.
 */
export type CredentialChange = {
  hasStored: boolean;
  /** The addresses that get the stored credentials, in a fixed order; empty if nothing is called. */
  before: readonly string[];
  after: readonly string[];
  /** The credentials in the request: null removes them, undefined keeps them. */
  given: object | null | undefined;
  /** Pointer to them in the request. Default `/credentials`. */
  pointer?: string;
};

/** True if the stored credentials belong to another address: only the given ones are used. Throws if none were given. */
export function leavesStoredBehind({
  hasStored,
  before,
  after,
  given,
  pointer = "/credentials",
}: CredentialChange): boolean {
  if (!hasStored || after.every((address, place) => isWithin(address, before[place]))) return false;
  if (given !== undefined) return true;
  const message = "The credentials were stored for another address. Send them again together with the new one.";
  throw new HubError("credentials_required", message, {
    errors: [{ pointer, code: "credentials_required", message }],
  });
}

/** At or below: everything below an address could be called with its credentials before. */
function isWithin(address: string, base: string | undefined): boolean {
  if (address === base) return true;
  if (base === undefined || !URL.canParse(address) || !URL.canParse(base)) return false;
  const [inner, outer] = [new URL(address), new URL(base)];
  return inner.origin === outer.origin && folderOf(inner).startsWith(folderOf(outer));
}

function folderOf({ pathname }: URL): string {
  return pathname.endsWith("/") ? pathname : `${pathname}/`;
}

/** Why credentials must not be sent to this address, judged by its text alone: names are resolved when connecting. */
export function plainTextProblem(address: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const host = bareHost(url.hostname);
  const mayBePrivate = allowPrivate && (isIP(host) === 0 || isPrivate(host));
  if (url.protocol !== "http:" || mayBePrivate) return undefined;
  return "The credentials travel with every request: use https.";
}

function isPrivate(address: string): boolean {
  return addressProblem(address, false) !== undefined;
}

/** Requests with credentials may only go to the servers the credentials belong to. */
export function refuseOtherServer(url: URL, homes: readonly string[]): void {
  const origins = homes.map((home) => new URL(home).origin);
  if (origins.includes(url.origin)) return;
  const message = `The credentials belong to ${origins.join(" and ")}, and are not sent to ${url.origin}.`;
  throw new RemoteError("credentials_for_other_host", message);
}

/** Connections with credentials need TLS, except to local addresses: without it the network can read them. */
export function refusePlainText(protocol: string, hostname: string, addresses: string[]): void {
  if (protocol !== "http:" || addresses.every(isPrivate)) return;
  throw new RemoteError("https_required", `${hostname} is not private, and credentials go there by https only.`);
}
