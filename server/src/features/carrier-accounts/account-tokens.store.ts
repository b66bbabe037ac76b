import type { Tx } from "../../db/database.ts";
import type { TokenTable } from "../../db/token-leases.ts";

export const accountTokens: TokenTable = { name: "carrier_account_tokens", keyColumns: ["account_id", "name"] };

export async function removeTokens(tx: Tx, orgId: string, accountId: string): Promise<void> {
  await tx.query("delete from carrier_account_tokens where org_id = $1 and account_id = $2", [orgId, accountId]);
}
