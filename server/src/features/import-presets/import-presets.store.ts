import { isUuid } from "../../core/ids.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { recordsIn } from "../../db/records.ts";
import type { ImportPreset } from "./import-presets.schemas.ts";

const columns = defineColumns<ImportPreset>("t", {
  name: "text",
  kind: "text",
  settings: "jsonb",
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});

export const presets = recordsIn("import_presets", "import_preset", columns);

/** By ID, or by name ignoring case. */
export async function findNamedPreset(
  db: Queryable,
  orgId: string,
  kind: ImportPreset["kind"],
  ref: string,
): Promise<ImportPreset | undefined> {
  const [row] = await db.query<Stored<ImportPreset>>(
    `select ${columns.selected} from import_presets t
      where t.org_id = $1 and t.kind = $4 and (t.id = $2 or lower(t.name) = lower($3)) order by t.id = $2 desc limit 1`,
    [orgId, isUuid(ref) ? ref : null, ref, kind],
  );
  return row && columns.fromRow(row);
}
