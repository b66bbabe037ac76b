import { createHash } from "node:crypto";
import type { AccountToken, CarrierCall } from "../../carriers/seam/carrier.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Ctx } from "../../context.ts";
import { sharedTokens } from "../../db/shared-tokens.ts";
import { accountTokens } from "./account-tokens.store.ts";

/** `issuedFor`: digest of the credentials and addresses; with others the token is invalid. */
type Token = { value: string; issuedFor: string };

const tokens = sharedTokens<Token>(
  accountTokens,
  ({ orgId, key }) => `carrier-account-token:${orgId}:${key.join(":")}`,
);

const maxNameLength = 100;
const maxTokenLength = 16_000;

type Account = { id: string; credentials: Record<string, unknown>; addresses: readonly string[] };

/** `token` of a carrier call. */
export function openTokens(ctx: Ctx, account: Account, signal: AbortSignal): CarrierCall["token"] {
  const text = JSON.stringify([account.addresses, Object.entries(account.credentials).toSorted()]);
  const issuedFor = createHash("sha256").update(text).digest("hex");
  return async (name, fetchToken): Promise<AccountToken> => {
    if (name === "" || name.length > maxNameLength) throw new Error(`a token has a name of 1 to ${maxNameLength}`);
    const row = { orgId: ctx.orgId, key: [account.id, name] };
    const kept = await tokens.find(ctx, {
      ...row,
      signal,
      isUsable: (token) => token.issuedFor === issuedFor,
      async issue() {
        const { value, lifetimeMs } = await fetchToken();
        if (value === "" || value.length > maxTokenLength || !(lifetimeMs > 0)) {
          throw new RemoteError("unexpected_response", "The carrier issued an access token that cannot be used.");
        }
        return { token: { value, issuedFor }, lifetimeMs };
      },
    });
    return { value: kept.token.value, forget: () => tokens.forget(ctx, row, kept) };
  };
}
