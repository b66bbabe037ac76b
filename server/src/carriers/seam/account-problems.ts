import type { AccountProblem } from "./carrier.ts";
import { RemoteError } from "./http.ts";

const parts: Record<string, AccountProblem["part"]> = {
  unauthorized: "key",
  authentication_failed: "key",
  forbidden: "permission",
  rate_limited: "permission",
  payment_required: "account",
  not_found: "address",
  invalid_json: "address",
  redirect_not_allowed: "address",
  dns_failed: "address",
  connect_failed: "address",
  address_not_allowed: "address",
  https_required: "address",
};

/**
 * What a user has to correct after a failed request of `testAccount`. `account`: words by which the carrier refuses the account number;
 * without them a refusal is about the settings. A temporary failure is thrown again.
 */
export function accountProblem(error: unknown, account?: RegExp): AccountProblem {
  if (!(error instanceof RemoteError)) throw error;
  const { code, message, retryable } = error;
  const part = parts[code];
  if (part !== undefined) return { part, message };
  if (retryable || account === undefined) throw error;
  return { part: account.test(message) ? "account" : "settings", message };
}
