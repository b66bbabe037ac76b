import type { Ctx, World } from "../../context.ts";
import type { BridgeRow } from "./bridges.store.ts";

type Credentials = Record<string, unknown>;

/** Bound to its bridge: copied into another row it does not open. Nothing at all is stored for no credentials. */
export function sealCredentials(ctx: Ctx, bridgeId: string, credentials: Credentials): string | null {
  if (Object.keys(credentials).length === 0) return null;
  return ctx.secrets.seal(JSON.stringify(credentials), contextOf(ctx.orgId, bridgeId));
}

export function openCredentials({ secrets }: World, row: BridgeRow): Credentials {
  if (row.sealed_credentials === null) return {};
  return JSON.parse(secrets.open(row.sealed_credentials, contextOf(row.org_id, row.id))) as Credentials;
}

function contextOf(orgId: string, bridgeId: string): string {
  return `bridge:${orgId}:${bridgeId}`;
}
