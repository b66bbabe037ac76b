import type { AccountProblem } from "./carrier.ts";
import { RemoteError } from "./http.ts";

const parts: Record<string, AccountProblem["part"]> = {
  unauthorized: "key",
  authentication_failed: "key",
  forbidden: "permission",
  payment_required: "account",
  not_found: "address",
  invalid_json: "address",
  redirect_not_allowed: "address",
  dns_failed: "address",
  connect_failed: "address",
  address_not_allowed: "address",
  https_required: "address",
};

/** What a user has to correct after a failed request of `testAccount`. A failure that passes by itself is thrown again. */
export function accountProblem(error: unknown): AccountProblem {
  if (!(error instanceof RemoteError)) throw error;
  const part = parts[error.code];
  if (part === undefined) throw error;
  return { part, message: error.message };
}
