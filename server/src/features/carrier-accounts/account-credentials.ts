import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { Account } from "./carrier-accounts.store.ts";

export function openCredentials(ctx: Ctx, account: Account): Record<string, unknown> {
  const credentials = tryOpenCredentials(ctx, account);
  if (credentials) return credentials;
  const message = "They were encrypted with a key this hub no longer has. Enter the credentials again.";
  throw new HubError("credentials_unreadable", message);
}

export function tryOpenCredentials(ctx: Ctx, account: Account): Record<string, unknown> | undefined {
  if (account.credentials === null) return {};
  try {
    return JSON.parse(ctx.secrets.open(account.credentials, sealContext(ctx.orgId, account.id))) as Record<
      string,
      unknown
    >;
  } catch {
    return undefined;
  }
}

export function sealCredentials(ctx: Ctx, id: string, credentials: Record<string, unknown>) {
  const credentialFields = Object.keys(credentials).toSorted();
  if (credentialFields.length === 0) return { credentials: null, credentialFields };
  return { credentials: ctx.secrets.seal(JSON.stringify(credentials), sealContext(ctx.orgId, id)), credentialFields };
}

function sealContext(orgId: string, id: string): string {
  return `carrier-account:${orgId}:${id}`;
}
