import type { Actor } from "../../core/actor.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment, selectAs } from "../../db/columns.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { recordsIn } from "../../db/records.ts";
import type { Transformation, TransformationQuery, TransformationVersion } from "./transformations.schemas.ts";

type Direction = Transformation["direction"];
/** Condition sets by the names they had when the mappings were saved. */
export type SetIds = Record<string, string>;
export type StoredTransformation = Transformation & { setIds: SetIds };

const columns = defineColumns<StoredTransformation>("t", {
  name: "text",
  bridgeId: "uuid",
  taskName: "text",
  direction: "text",
  mode: "text",
  mappings: "jsonb",
  setIds: "jsonb",
  isActive: "boolean",
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});
const transformations = recordsIn("transformations", "transformation", columns);
export const { get: getTransformation, lock: lockTransformation, remove: deleteTransformation } = transformations;

export async function listTransformations(
  db: Queryable,
  orgId: string,
  query: TransformationQuery,
): Promise<Page<Transformation>> {
  return await transformations.list(db, orgId, query, [
    ["t.bridge_id = ?", query.bridgeId],
    ["t.task_name = ?", query.taskName],
    ["t.direction = ?", query.direction],
    ["t.is_active = ?", query.isActive],
  ]);
}

/** Saves the transformation and stores the version with its author. */
export async function saveTransformation(
  tx: Tx,
  orgId: string,
  how: "insert" | "update",
  saved: StoredTransformation,
  by: Actor,
): Promise<void> {
  await transformations[how](tx, orgId, saved);
  await tx.query(`${keepVersion} $3, t.updated_at from transformations t where t.org_id = $1 and t.id = $2`, [
    orgId,
    saved.id,
    by,
  ]);
}

const keepVersion = `insert into transformation_versions (transformation_id, version, org_id, name, mode, mappings, is_active,
  created_by, created_at) select t.id, t.version, $1, t.name, t.mode, t.mappings, t.is_active,`;

/** Deactivates the active transformations of a bridge; each gets a new version. */
export async function deactivateTransformationsOf(
  tx: Tx,
  orgId: string,
  bridgeId: string,
  { at, by }: { at: Date; by: Actor },
): Promise<StoredTransformation[]> {
  const rows = await tx.query<Stored<StoredTransformation>>(
    `with t as (
       update transformations set is_active = false, updated_at = $3, version = version + 1
        where org_id = $1 and bridge_id = $2 and is_active returning *),
     kept as (${keepVersion} $4, $3 from t)
     select ${columns.selected} from t`,
    [orgId, bridgeId, at, by],
  );
  return rows.map(columns.fromRow);
}

const findStatement: Prepared = {
  name: "transformations_find_active",
  text: `select ${columns.selected} from transformations t where org_id = $1 and id = $2 and is_active`,
};

export async function findActive(db: Queryable, orgId: string, id: string): Promise<StoredTransformation | undefined> {
  const [row] = await db.query<Stored<StoredTransformation>>(findStatement, [orgId, id]);
  return row && columns.fromRow(row);
}

/** Locks the other active transformation for the same bridge, task and direction. */
export async function lockOtherActive(
  tx: Tx,
  orgId: string,
  { id: exceptId, bridgeId, taskName, direction }: Transformation,
): Promise<StoredTransformation | undefined> {
  const [row] = await tx.query<Stored<StoredTransformation>>(
    `select ${columns.selected} from transformations t
      where org_id = $1 and bridge_id = $2 and task_name = $3 and direction = $4 and is_active and id <> $5 for update`,
    [orgId, bridgeId, taskName, direction, exceptId],
  );
  return row && columns.fromRow(row);
}

export type ActiveRow = { id: string; version: number; direction: Direction; set_ids: SetIds };

const activeStatement: Prepared = {
  name: "transformations_active",
  text: `select id, version, direction, set_ids from transformations
      where org_id = $1 and bridge_id = $2 and task_name = $3 and is_active`,
};

/** At most one for each direction, without the mappings: the compiled ones may still be current. */
export async function listActive(
  db: Queryable,
  orgId: string,
  bridgeId: string,
  taskName: string,
): Promise<ActiveRow[]> {
  return await db.query<ActiveRow>(activeStatement, [orgId, bridgeId, taskName]);
}

export async function listVersions(
  db: Queryable,
  orgId: string,
  id: string,
  query: PageRequest,
): Promise<Page<TransformationVersion>> {
  const page = await listPage<Omit<TransformationVersion, "createdAt"> & { createdAt: Date }>(db, query, {
    select: selectAs("t", "version name mode mappings isActive createdBy createdAt"),
    from: "transformation_versions t",
    where: [
      ["org_id = ?", orgId],
      ["transformation_id = ?", id],
    ],
    orderBy: "version desc",
  });
  return mapPage(page, ({ createdAt, ...version }) => ({ ...version, createdAt: createdAt.toISOString() }));
}

/** The mappings of this version. */
export async function findVersion(
  db: Queryable,
  orgId: string,
  id: string,
  version: number,
): Promise<Pick<Transformation, "mappings" | "mode"> | undefined> {
  const [row] = await db.query<Pick<Transformation, "mappings" | "mode">>(
    "select mappings, mode from transformation_versions where org_id = $1 and transformation_id = $2 and version = $3",
    [orgId, id, version],
  );
  return row;
}
