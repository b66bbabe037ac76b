import { ask } from "../../core/outbound/ask-remote.ts";
import type { RequestBody } from "../../core/outbound/outbound-body.ts";
import type { HttpRequest, HttpResponse } from "../../core/outbound/outbound-request.ts";
import { askSignedIn } from "../access-token.ts";
import type { Call } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { objectOf } from "../shape.ts";
import type { RequestTemplate } from "./rest-request.schemas.ts";
import type { TaskDefinition } from "./rest-task.schemas.ts";
import type { RestSettings } from "./rest.schemas.ts";
import { signOAuth1 } from "./rest-oauth1.ts";
import { Anything } from "./rest-task.schemas.ts";
import type { Scope } from "./rest-template.ts";
import { fillJson, fillPath, fillText, hasHiddenDots, placeholdersOf, rootOf } from "./rest-template.ts";

export function settingsOf(call: Pick<Call, "settings">): RestSettings {
  return call.settings as RestSettings;
}

/** Name, title and description of a task; `does` is the default description. */
export function aboutOf({ name, title = name, description }: TaskDefinition, does: string) {
  return { name, title, description: description ?? does, output: Anything };
}

export function scopeOf(call: Call, record?: Record<string, unknown>, effectKey?: string): Scope {
  const variables = settingsOf(call).variables ?? {};
  return { input: call.input, settings: variables, ...(record ? { record } : {}), ...(effectKey ? { effectKey } : {}) };
}

/** Credentials are sent only to the base URL, so all requests must stay below it. */
export function urlBelow(base: string, path: string): URL {
  const root = new URL(base.replace(/\/$/, ""));
  const rootPath = root.pathname.replace(/\/$/, "");
  const text = `${root.origin}${rootPath}${path}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!path.startsWith("/") || path.includes("\\") || !url || url.origin !== root.origin) throw outsideBaseUrl(path);
  if (url.pathname !== rootPath && !url.pathname.startsWith(`${rootPath}/`)) throw outsideBaseUrl(path);
  if (hasHiddenDots(url.pathname)) throw outsideBaseUrl(path);
  return url;
}

function outsideBaseUrl(path: string): RemoteError {
  return new RemoteError("outside_base_url", `The path ${path.slice(0, 100)} leads outside the base URL.`);
}

export function buildRequest(
  call: Call,
  template: RequestTemplate,
  scope: Scope,
  common = settingsOf(call).headers,
): HttpRequest {
  const { baseUrl } = settingsOf(call);
  const url = urlBelow(baseUrl, fillPath(template.path, scope));
  for (const [name, value] of Object.entries(template.query ?? {})) {
    const text = fillText(value, scope);
    if (text !== undefined) url.searchParams.set(name, text);
  }
  const headers = fillHeaders({ ...common, ...template.headers }, scope);
  const body = template.body === undefined ? {} : { body: fillBody(template, scope) };
  return authorize(call, { method: template.method ?? "GET", url, headers, ...body });
}

/** In a form, members without a value are left out; so are lists and objects, which a form cannot express. */
function fillBody({ body, bodyFormat }: RequestTemplate, scope: Scope): RequestBody {
  const json = fillJson(body, scope);
  if (bodyFormat !== "form") return { json };
  const entries = Object.entries(objectOf(json)).filter(([, value]) => typeof value !== "object");
  return { form: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) };
}

/** Headers without a value are not sent. */
function fillHeaders(headers: Record<string, string>, scope: Scope): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = fillText(value, scope) ?? "";
      return text === "" ? [] : [[name, text]];
    }),
  );
}

/** The headers of the settings, for requests that belong to no task: those that name a record or input are left out. */
export function headersWithoutTask(call: Call): Record<string, string> {
  const own = Object.entries(settingsOf(call).headers ?? {}).filter(([, value]) =>
    placeholdersOf(value).every((path) => rootOf(path) === "settings"),
  );
  return fillHeaders(Object.fromEntries(own), scopeOf(call));
}

/** Sends a request; OAuth bridges add their token or signature here, other kinds of auth are in the request already. */
export async function askRest(
  call: Call,
  request: HttpRequest,
  accepted: readonly number[] = [],
): Promise<HttpResponse> {
  const { auth } = settingsOf(call);
  if (auth?.kind === "oauth1") {
    const sign: HttpRequest["sign"] = (method, url) => ({
      authorization: signOAuth1(auth, call.credentials, { method, url }),
    });
    return await ask(call, { ...request, sign }, accepted);
  }
  if (auth?.kind !== "oauth2") return await ask(call, request, accepted);
  const signed = (token: string): HttpRequest => ({
    ...request,
    headers: { ...request.headers, ...tokenHeader(auth, token) },
  });
  return await askSignedIn(call, signed, accepted);
}

/** In the configured header, with its prefix if any; default: as in RFC 6750. */
function tokenHeader({ paramName, prefix }: { paramName?: string; prefix?: string }, token: string) {
  const word = prefix ?? (paramName === undefined ? "Bearer" : undefined);
  return { [(paramName ?? "authorization").toLowerCase()]: word === undefined ? token : `${word} ${token}` };
}

type Credentials = Partial<Record<"token" | "username" | "password", string>> & { headers?: Record<string, string> };

/** Lower-case names, so that they replace headers of the settings in any spelling. */
function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export function authorize(call: Call, request: HttpRequest & { url: URL }): HttpRequest {
  const { auth } = settingsOf(call);
  const { kind = "none", paramName } = auth ?? {};
  const { token, username, password, headers: secrets } = call.credentials as Credentials;
  const headers = { ...request.headers, ...lowerCased(secrets) };
  if (kind === "bearer") headers.authorization = `Bearer ${token ?? ""}`;
  if (kind === "basic") {
    headers.authorization = `Basic ${Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64")}`;
  }
  if (kind === "header")
    Object.assign(headers, tokenHeader({ ...auth, paramName: paramName ?? "X-Api-Key" }, token ?? ""));
  const url = new URL(request.url);
  if (kind === "query") url.searchParams.set(paramName ?? "api_key", token ?? "");
  return { ...request, url, headers };
}
