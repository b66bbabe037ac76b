import type { HttpResponse } from "../http.ts";
import type { Recorded } from "./recorded.ts";

/** A recorded body as the response that had it. Multipart bodies are recorded as a text. */
export function recordedResponse({ status, body }: Recorded): HttpResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    status,
    headers: {},
    text,
    bytes: Buffer.from(text),
    json: () => body,
    retryAfterMs: undefined,
    mayHaveHappened: false,
  };
}
