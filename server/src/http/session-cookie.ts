import type { FastifyReply, FastifyRequest } from "fastify";
import { HubError } from "../core/errors.ts";
import type { Environment } from "../context.ts";
import type { Credential } from "../features/auth/auth.ts";
import type { Browser, NewCookies } from "../route.ts";

type Asked = Pick<FastifyRequest, "headers" | "protocol" | "publicOrigin" | "method">;

const endings: Record<keyof NewCookies, string> = { session: "", signIn: "_sign_in" };

/**
 * Cookies know no ports: the surface is part of the name, or live and preview would sign each other out. With TLS a browser
 * takes the name only from the host itself. Without it the prefix, and `Secure`, would lose the cookie.
 */
function cookieName({ protocol }: Pick<Asked, "protocol">, environment: Environment, kind: keyof NewCookies): string {
  return `${protocol === "https" ? "__Host-" : ""}ooh_${environment}${endings[kind]}`;
}

const valueShapes: Record<keyof NewCookies, RegExp> = { session: /^[A-Za-z0-9_-]{43}$/, signIn: /^[\w.-]{1,3900}$/ };

function readCookie(request: Asked, environment: Environment, kind: keyof NewCookies): string | undefined {
  const { cookie } = request.headers;
  return cookie === undefined ? undefined : valuesOf(cookie, cookieName(request, environment, kind), kind)[0];
}

function valuesOf(cookie: string, name: string, kind: keyof NewCookies): string[] {
  const start = `${name}=`;
  return cookie
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
    .filter((value) => valueShapes[kind].test(value));
}

export function writeCookies(request: Asked, reply: FastifyReply, environment: Environment, cookies: NewCookies): void {
  const secure = request.protocol === "https" ? "; Secure" : "";
  for (const kind of ["session", "signIn"] as const) {
    const cookie = cookies[kind];
    if (cookie === undefined) continue;
    const { value, maxAgeSeconds } = cookie ?? { value: "", maxAgeSeconds: 0 };
    const name = cookieName(request, environment, kind);
    // Also the one of a sign-in elsewhere: our own page asks for the session, when the browser is back.
    reply.header(
      "set-cookie",
      `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${secure}`,
    );
  }
}

export function browserOf(request: Asked, environment: Environment): Browser {
  return { origin: request.publicOrigin, signIn: readCookie(request, environment, "signIn") };
}

/** How the caller says who they are. */
export function credentialOf(request: Asked, environment: Environment): Credential {
  const { authorization } = request.headers;
  return authorization === undefined ? { cookie: readCookie(request, environment, "session") } : { authorization };
}

/**
 * A browser attaches the cookie to every request, also to a form that a foreign page or a page on another port of the hub's
 * host submits. So a change needs the browser's headers that say it comes from the hub's own page. Checking the content type
 * would not be enough: undo, retry and cancel have no body.
 */
export function refuseForeignPage(request: Asked, { mayBeNoBrowser }: { mayBeNoBrowser: boolean }): void {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (site !== undefined) {
    if (site === "same-origin") return;
  } else if (origin === undefined) {
    // Browsers that leave out one, as all do on plain http, send the other.
    if (mayBeNoBrowser) return;
  } else if (origin === request.publicOrigin) return;
  throw new HubError(
    "cross_origin_request",
    "With a session cookie, changes are taken from the hub's own pages only. Programs send an API key instead.",
  );
}
