import type { FastifyReply, FastifyRequest } from "fastify";
import { HubError } from "../core/errors.ts";
import type { Environment } from "../context.ts";
import type { Credential } from "../features/auth/auth.ts";

type Asked = Pick<FastifyRequest, "headers" | "protocol" | "host" | "method">;

/**
 * Cookies know no ports: the surface is part of the name, or live and preview would sign each other out. With TLS a browser
 * takes the name only from the host itself. Without it the prefix, and `Secure`, would lose the cookie.
 */
function cookieName({ protocol }: Pick<Asked, "protocol">, environment: Environment): string {
  return protocol === "https" ? `__Host-ooh_${environment}` : `ooh_${environment}`;
}

const valueShape = /^[A-Za-z0-9_-]{43}$/;

function readSessionCookie(request: Asked, environment: Environment): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const start = `${cookieName(request, environment)}=`;
  return cookie
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
    .find((value) => valueShape.test(value));
}

export function writeSessionCookie(
  request: Asked,
  reply: FastifyReply,
  environment: Environment,
  cookie: { value: string; maxAgeSeconds: number } | null,
): void {
  const secure = request.protocol === "https" ? "; Secure" : "";
  const { value, maxAgeSeconds } = cookie ?? { value: "", maxAgeSeconds: 0 };
  const name = cookieName(request, environment);
  reply.header("set-cookie", `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${secure}`);
}

/** How the caller says who they are. */
export function credentialOf(request: Asked, environment: Environment): Credential {
  const { authorization } = request.headers;
  return authorization === undefined ? { cookie: readSessionCookie(request, environment) } : { authorization };
}

/**
 * A browser sends the cookie by itself, also for a form that somebody else's page has sent off, and for one on another port
 * of ours. So a change needs the browser's word that it comes from our own page. Nothing else would do: undo, retry and
 * cancel have no body whose type could be asked for.
 */
export function refuseForeignPage(request: Asked, { mayBeNoBrowser }: { mayBeNoBrowser: boolean }): void {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (site !== undefined) {
    if (site === "same-origin") return;
  } else if (origin === undefined) {
    // Browsers that leave out one, as all do on plain http, send the other.
    if (mayBeNoBrowser) return;
  } else if (origin === `${request.protocol}://${request.host}`) return;
  throw new HubError(
    "cross_origin_request",
    "With a session cookie, changes are taken from the hub's own pages only. Programs send an API key instead.",
  );
}
