import { RemoteError } from "../../core/remote-error.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import type { Ctx, World } from "../../context.ts";
import type { BridgeRow } from "./bridges.store.ts";

type Credentials = Record<string, unknown>;

/** Bound to the bridge ID: copied to another row it cannot be decrypted. Empty credentials are stored as null. */
export function sealCredentials(ctx: Ctx, bridgeId: string, credentials: Credentials): string | null {
  if (Object.keys(credentials).length === 0) return null;
  return ctx.secrets.seal(JSON.stringify(credentials), contextOf(ctx.orgId, bridgeId));
}

export function openCredentials(world: World, row: BridgeRow): Credentials {
  const credentials = tryOpen(world, row);
  if (credentials) return credentials;
  const message = "The credentials were encrypted with a key that this hub no longer has. Enter them again.";
  throw new RemoteError("credentials_unreadable", message);
}

function tryOpen({ secrets }: World, row: BridgeRow): Credentials | undefined {
  if (row.sealed_credentials === null) return {};
  try {
    return JSON.parse(secrets.open(row.sealed_credentials, contextOf(row.org_id, row.id))) as Credentials;
  } catch {
    return undefined;
  }
}

/** Merges new credentials into the stored ones, if those can be decrypted. `isElsewhere`: the stored ones belong to another host. */
export function mergeCredentials(
  world: World,
  row: BridgeRow,
  patch: Credentials | null | undefined,
  isElsewhere: boolean,
): Credentials | undefined {
  if (patch === undefined) return undefined;
  const stored = isElsewhere ? {} : (tryOpen(world, row) ?? {});
  return patch === null ? {} : (mergePatch(stored, patch) as Credentials);
}

function contextOf(orgId: string, bridgeId: string): string {
  return `bridge:${orgId}:${bridgeId}`;
}
