import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { AccountRow } from "./carrier-accounts.store.ts";

export function openCredentials(ctx: Ctx, row: AccountRow): Record<string, unknown> {
  const credentials = tryOpenCredentials(ctx, row);
  if (credentials) return credentials;
  const message = "They were sealed with a key that this hub does not have any more. Give the account new ones.";
  throw new HubError("credentials_unreadable", message);
}

export function tryOpenCredentials(ctx: Ctx, row: AccountRow): Record<string, unknown> | undefined {
  if (row.credentials === null) return {};
  try {
    return JSON.parse(ctx.secrets.open(row.credentials, sealContext(ctx.orgId, row.id))) as Record<string, unknown>;
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
