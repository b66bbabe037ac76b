import { cutText } from "../cut-text.ts";
import { RemoteError, remoteMeanings } from "../remote-error.ts";
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

const codes: Record<number, keyof typeof remoteMeanings> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  429: "rate_limited",
};

function statusError(response: HttpResponse): RemoteError {
  const { status, retryAfterMs } = response;
  const isTheirs = status >= 500;
  const code = isTheirs ? "remote_error" : (codes[status] ?? "rejected");
  const said = saidBy(response);
  return new RemoteError(code, `${remoteMeanings[code]} (${status}${said === "" ? "" : `: ${said}`})`, {
    retryable: isRetryableStatus(status),
    // It refused: only after a failure of its own may it have done something first.
    mayHaveHappened: response.mayHaveHappened && (isTheirs || status === 408),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** An answer whose body reports a failure although its status is a success. `words`: the reason; default: what the body says. */
export function refusedAnswer(response: HttpResponse, words: string, mayHaveHappened: boolean): RemoteError {
  const said = words === "" ? saidBy(response) : words;
  const message = `${remoteMeanings.rejected} (${response.status}${said === "" ? "" : `: ${said}`})`;
  return new RemoteError("rejected", message, { mayHaveHappened });
}

/** A change was answered with a success status, and without the id by which it is known there: it may have happened or not. */
export function answerWithoutId(where: string): RemoteError {
  return new RemoteError("unexpected_response", `The answer has no id at ${where}.`, { mayHaveHappened: true });
}

type Said = Record<string, unknown> | null | undefined;

/** The reason in the other side's words, shortened. Pages of HTML are left out. */
function saidBy({ text }: HttpResponse): string {
  let said: unknown;
  try {
    const parsed = JSON.parse(text) as Said | Said[];
    // BigCommerce answers with a list of errors, NetSuite with a problem whose title is always the same.
    const body = Array.isArray(parsed) ? parsed[0] : parsed;
    const errors = body?.errors ?? body?.["o:errorDetails"];
    said = body?.message ?? body?.error_description ?? body?.error ?? errors ?? body?.detail ?? body?.title;
  } catch {
    said = /^\s*</.test(text) ? "" : text;
  }
  return wordsOf(said);
}

/** A text as it is, anything else as JSON; shortened. */
export function wordsOf(said: unknown): string {
  const line = (typeof said === "string" ? said : (said ?? null) === null ? "" : JSON.stringify(said)).trim();
  return line.length > 300 ? `${cutText(line, 300).toWellFormed()}...` : line;
}
