import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { RemoteError } from "../remote-error.ts";

export type Resolve = (hostname: string) => Promise<string[]>;

export const resolveBySystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);

/** Cloud metadata services, which give credentials of the machine to any caller. Some are in otherwise public ranges. */
const metadataRanges = [
  "169.254.0.0/16", // most providers
  "100.100.100.200/32", // Alibaba
  "168.63.129.16/32", // Azure
  "192.0.0.192/32", // Oracle
  "fd00:ec2::/32", // Amazon: metadata, names, time and credentials of containers
  "fd20:ce::/32", // Google
  "fd00:c1::/32", // Oracle
  "fd00:42::/32", // Scaleway
].map((range) => ipaddr.parseCIDR(range));

const publicRanges = new Set(["unicast"]);
const privateRanges = new Set(["unicast", "private", "loopback", "carrierGradeNat", "uniqueLocal"]);

/** Cache of recent results: some addresses are checked thousands of times a second. */
const knownProblems = { private: new Map<string, string | undefined>(), public: new Map<string, string | undefined>() };
const maxKnown = 1_000;

/** Why this address must not be called; undefined if it may. Link-local and metadata addresses never may. */
export function addressProblem(address: string, allowPrivate: boolean): string | undefined {
  const known = allowPrivate ? knownProblems.private : knownProblems.public;
  if (known.has(address)) return known.get(address);
  const problem = findProblem(address, allowPrivate);
  if (known.size >= maxKnown) known.clear();
  known.set(address, problem);
  return problem;
}

function findProblem(address: string, allowPrivate: boolean): string | undefined {
  const plain = plainAddress(address);
  if (plain === undefined) return "is not an address";
  let parsed = ipaddr.parse(plain);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) parsed = parsed.toIPv4Address();
  const isMetadata = metadataRanges.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
  if (isMetadata) return "is a metadata service";
  const range = parsed.range();
  if (!(allowPrivate ? privateRanges : publicRanges).has(range)) return `is ${range}`;
  // Outside of 2000::/3 nothing is routed; ::7f00:1 and other odd ways to write an IPv4 address are there.
  const isOutside = parsed instanceof ipaddr.IPv6 && range === "unicast" && parsed.parts[0]! >> 13 !== 1;
  return isOutside ? "is not routed" : undefined;
}

/** The library reads ::1.2.3.4 as ::ffff:1.2.3.4; written in hexadecimal there is no doubt. */
function plainAddress(address: string): string | undefined {
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : undefined;
  const url = `http://[${address}]/`;
  return URL.canParse(url) ? bareHost(new URL(url).hostname) : undefined;
}

/** The address as a URL that may be called as far as its text tells; names are looked up when connecting. */
export function checkUrl(given: string | URL, allowPrivate: boolean): URL {
  const url = given instanceof URL ? given : URL.parse(given);
  if (!url) throw new RemoteError("invalid_url", "The address is not a URL.");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new RemoteError("invalid_url", `The address must start with https:// or http://, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new RemoteError("invalid_url", "The address must not hold a user name or password.");
  }
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0) refuseAddress(host, host, allowPrivate);
  // No name server is asked for these (RFC 6761): what they mean is known without a connection.
  else if (/(^|\.)localhost\.?$/.test(host)) refuseAddress("127.0.0.1", host, allowPrivate);
  return url;
}

/** Redirects stay on the same origin, so that it is enough to look at where a request sets out for. */
export function refuseUnlistedHost({ hostname }: Pick<URL, "hostname">, allowed: readonly string[]): void {
  const host = bareHost(hostname);
  const isListed = allowed.some((entry) => (entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry));
  if (isListed || allowed.length === 0) return;
  const message = `${host} is not among the hosts that the organization may call. An administrator can add it.`;
  throw new RemoteError("host_not_allowed", message);
}

/** IPv6 without its brackets. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

export function refuseAddress(address: string, hostname: string, allowPrivate: boolean): void {
  const problem = addressProblem(address, allowPrivate);
  if (problem === undefined) return;
  // The message does not reveal the address that an internal name resolves to.
  const what = address === hostname ? problem : problem.replace("is ", "points to an address that is ");
  const isPrivate = addressProblem(address, true) === undefined;
  const unless = isPrivate ? " unless it is started with HUB_PRIVATE_ADDRESSES=allow" : "";
  throw new RemoteError("address_not_allowed", `${hostname} ${what}; the hub does not call such addresses${unless}.`);
}

/**
 * Resolved for every connection, and the connection is made to the address returned here, not to the name: a DNS record that changes in
 * between has no effect (DNS rebinding). One forbidden address among several is enough to reject the name.
 */
export async function safeAddresses(hostname: string, allowPrivate: boolean, resolve: Resolve): Promise<string[]> {
  const host = bareHost(hostname);
  const addresses = isIP(host) === 0 ? await resolveName(host, resolve) : [host];
  for (const address of addresses) refuseAddress(address, host, allowPrivate);
  return addresses;
}

async function resolveName(hostname: string, resolve: Resolve): Promise<string[]> {
  let addresses: string[] = [];
  try {
    addresses = await resolve(hostname);
  } catch (cause) {
    throw new RemoteError("dns_failed", `${hostname} was not found.`, { retryable: true, cause });
  }
  if (addresses.length > 0) return addresses;
  throw new RemoteError("dns_failed", `${hostname} has no address.`, { retryable: true });
}
