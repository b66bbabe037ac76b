import { cutText } from "../cut-text.ts";
import { RemoteError } from "../remote-error.ts";
import { storable } from "../strict-json.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "./outbound-request.ts";
import { isRetryableStatus } from "./outbound-retry.ts";

/** A request to a shop or carrier: what is not a success becomes a RemoteError, unless the status is one that can be used. */
export async function ask(
  { http, signal }: { http: HttpClient; signal: AbortSignal },
  request: HttpRequest,
  accepted: readonly number[] = [],
): Promise<HttpResponse> {
  const response = await http.request({ signal, ...request });
  if ((response.status >= 200 && response.status < 300) || accepted.includes(response.status)) return response;
  throw statusError(response);
}

export async function askJson(call: { http: HttpClient; signal: AbortSignal }, request: HttpRequest): Promise<unknown> {
  return readJson(await ask(call, request));
}

/** Without what could not be stored. */
export function readJson(response: HttpResponse): unknown {
  return storable(response.json(), response.text);
}

const meanings: Record<number, [code: string, message: string]> = {
  401: ["unauthorized", "The other side does not accept the credentials."],
  403: ["forbidden", "The credentials do not permit this."],
  404: ["not_found", "The other side has no such thing."],
  429: ["rate_limited", "The other side wants fewer requests."],
};

function statusError(response: HttpResponse): RemoteError {
  const { status, retryAfterMs } = response;
  const [code, message] = meanings[status] ?? ["rejected", "The other side did not accept the request."];
  const isTheirs = status >= 500;
  const said = saidBy(response);
  const text = isTheirs ? "The other side failed." : message;
  return new RemoteError(isTheirs ? "remote_error" : code, `${text} (${status}${said === "" ? "" : `: ${said}`})`, {
    retryable: isRetryableStatus(status),
    // It refused: only after a failure of its own may it have done something first.
    mayHaveHappened: response.mayHaveHappened && (isTheirs || status === 408),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** The reason in the other side's words, shortened. Pages of HTML are left out. */
function saidBy({ text }: HttpResponse): string {
  let said: unknown;
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null;
    said = body?.message ?? body?.error_description ?? body?.error ?? body?.errors ?? body?.detail ?? body?.title;
  } catch {
    said = /^\s*</.test(text) ? "" : text;
  }
  const line = (typeof said === "string" ? said : said === undefined ? "" : JSON.stringify(said)).trim();
  return line.length > 300 ? `${cutText(line, 300).toWellFormed()}...` : line;
}
