import type { ErrorCode } from "../core/errors.ts";
import { errorTable, HubError, isRetryable } from "../core/errors.ts";
import { isConnectionLoss, sqlState } from "../db/database.ts";

/** RFC 9457 body of an error, with our extensions. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: ErrorCode;
  requestId: string;
  retryable: boolean;
  errors?: unknown[];
};

export function toProblem(error: HubError, requestId: string): Problem {
  const [status, title] = errorTable[error.code];
  return {
    type: `/docs/errors/${error.code}`,
    title,
    status,
    detail: error.message,
    instance: `urn:request:${requestId}`,
    code: error.code,
    requestId,
    retryable: isRetryable(error.code),
    ...(error.details.errors ? { errors: error.details.errors } : {}),
    ...error.details.extra,
  };
}

export function problemHeaders(error: HubError): Record<string, string> {
  const headers: Record<string, string> = { ...error.details.headers };
  const retryAfter = error.details.retryAfterSeconds ?? (error.status === 503 ? 1 : undefined);
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  if (error.status === 401) headers["www-authenticate"] = `Bearer realm="hub", error="${error.code}"`;
  return headers;
}

const byFastifyCode: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "malformed_request",
  FST_ERR_CTP_EMPTY_JSON_BODY: "malformed_json",
  FST_ERR_BAD_URL: "route_not_found",
  FST_ERR_MAX_PARAM_LENGTH: "route_not_found",
};

/** Anything thrown becomes a HubError; undefined means it is a bug of ours and must be logged as one. */
export function toHubError(error: unknown): HubError | undefined {
  if (error instanceof HubError) return error;
  const code = sqlState(error) ?? "";
  if (byFastifyCode[code]) return new HubError(byFastifyCode[code]);
  return fromDatabase(code, error);
}

/** What PostgreSQL refuses although the schema let it pass, and what it cannot do right now. */
function fromDatabase(code: string, error: unknown): HubError | undefined {
  if (/^(22003|22008|22009|22021|22023|22P02|22P05|2201[WX])$/.test(code)) {
    return new HubError("validation_failed", "A value is outside of what can be stored.");
  }
  if (code === "23505" || code === "23503" || code === "40001" || code === "40P01") return new HubError("conflict");
  if (code === "53100") return new HubError("storage_full");
  return isConnectionLoss(error) ? new HubError("database_unavailable") : undefined;
}
