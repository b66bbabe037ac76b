import type { FastifyRequest } from "fastify";
import { HubError } from "../core/errors.ts";

export type NameOptions = {
  /** Origins that people and programs call the hub by. None: by any name. */
  publicUrls: readonly string[];
  /** The address that the hub listens on. */
  host: string;
};

type Asked = Pick<FastifyRequest, "host" | "protocol">;

export type PublicNames = {
  /** Why a request with this Host header is refused; undefined where it is not. */
  findWrongHost(request: Asked): HubError | undefined;
  /** Of the hub, as the pages of this request have it: what links to the hub begin with. */
  originOf(request: Asked): string;
};

/** A name or an address, perhaps with a port. No user, path or blank, which would make another address of it. */
const wellFormed = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;
const loopback = /^(localhost|[a-z0-9-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * The names that the hub goes by. A redirect or a link that is made of any Host header would lead to a host that the sender chose; and a
 * page whose name was made to point at this address (DNS rebinding) would be taken for a page of the hub.
 */
export function createPublicNames({ publicUrls, host }: NameOptions): PublicNames {
  const origins = new Map(publicUrls.map((url) => [new URL(url).host, new URL(url).origin]));
  const own = host.includes(":") ? `[${host}]` : host;

  /** Whether a default port is said depends on the client, and on the proxy. */
  const find = ({ host: given }: Asked): string | undefined =>
    origins.get(given.toLowerCase().replace(/:(80|443)$/, ""));

  function findWrongHost(request: Asked): HubError | undefined {
    const { host: given } = request;
    // HTTP/1.0 knows requests without one.
    if (given === "") return undefined;
    if (!wellFormed.test(given) || !URL.canParse(`http://${given}`))
      return new HubError("malformed_request", "The Host header is not a name with a port.");
    const name = given.replace(/:\d+$/, "").toLowerCase();
    const isKnown =
      origins.size === 0 || loopback.test(name) || name === own.toLowerCase() || find(request) !== undefined;
    if (isKnown) return undefined;
    const detail = `The hub is not called ${given.slice(0, 100)}. Its names are those of HUB_PUBLIC_URLS.`;
    return new HubError("unknown_host", detail);
  }

  return { findWrongHost, originOf: (request) => find(request) ?? `${request.protocol}://${request.host}` };
}
