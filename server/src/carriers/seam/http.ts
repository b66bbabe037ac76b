/** Requests and failures of carriers. */
export { ask, askJson, readJson } from "../../core/outbound/ask-remote.ts";
export type { HttpRequest, HttpResponse } from "../../core/outbound/outbound-request.ts";
export { RemoteError } from "../../core/remote-error.ts";
