import type { Tx } from "../../db/database.ts";
import type { TokenTable } from "../../db/token-leases.ts";

export const bridgeTokens: TokenTable = { name: "bridge_tokens", keyColumns: ["bridge_id"] };

export async function removeToken(tx: Tx, orgId: string, bridgeId: string): Promise<void> {
  await tx.query("delete from bridge_tokens where org_id = $1 and bridge_id = $2", [orgId, bridgeId]);
}
