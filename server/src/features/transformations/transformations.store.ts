import type { Actor } from "../../core/actor.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Prepared, Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { Transformation, TransformationQuery, TransformationVersion } from "./transformations.schemas.ts";

type Direction = Transformation["direction"];
/** Which condition set is meant by a name, as it was when the mappings were saved. */
export type SetIds = Record<string, string>;
export type StoredTransformation = Transformation & { setIds: SetIds };

type TransformationRow = {
  id: string;
  name: string;
  bridge_id: string;
  task_name: string;
  direction: Direction;
  mappings: Transformation["mappings"];
  set_ids: SetIds;
  is_active: boolean;
  version: number;
  created_at: Date;
  updated_at: Date;
};

const columns =
  "id, name, bridge_id, task_name, direction, mappings, set_ids, is_active, version, created_at, updated_at";

export async function findTransformation(
  db: Queryable,
  orgId: string,
  id: string,
): Promise<StoredTransformation | undefined> {
  const [row] = await db.query<TransformationRow>(
    { name: "transformations_find", text: `select ${columns} from transformations where org_id = $1 and id = $2` },
    [orgId, id],
  );
  return row && present(row);
}

export async function lockTransformation(tx: Tx, orgId: string, id: string): Promise<StoredTransformation | undefined> {
  const [row] = await tx.query<TransformationRow>(
    `select ${columns} from transformations where org_id = $1 and id = $2 for update`,
    [orgId, id],
  );
  return row && present(row);
}

export async function listTransformations(
  db: Queryable,
  orgId: string,
  query: TransformationQuery,
): Promise<Page<Transformation>> {
  const page = await listPage<TransformationRow>(db, query, {
    select: columns,
    from: "transformations",
    where: [
      ["org_id = ?", orgId],
      ["bridge_id = ?", query.bridgeId],
      ["task_name = ?", query.taskName],
      ["direction = ?", query.direction],
      ["is_active = ?", query.isActive],
    ],
    orderBy: "created_at desc, id desc",
  });
  return mapPage(page, present);
}

export type TransformationValues = Pick<
  StoredTransformation,
  "id" | "name" | "bridgeId" | "taskName" | "direction" | "mappings" | "setIds" | "isActive"
> & { at: Date; by: Actor };

export async function insertTransformation(
  tx: Tx,
  orgId: string,
  values: TransformationValues,
): Promise<StoredTransformation> {
  const [row] = await tx.query<TransformationRow>(
    `insert into transformations (id, org_id, name, bridge_id, task_name, direction, mappings, set_ids, is_active,
       created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) returning ${columns}`,
    parametersOf(orgId, values),
  );
  await keepVersion(tx, orgId, row!, values);
  return present(row!);
}

export async function updateTransformation(
  tx: Tx,
  orgId: string,
  values: TransformationValues,
): Promise<StoredTransformation> {
  const [row] = await tx.query<TransformationRow>(
    `update transformations set name = $3, bridge_id = $4, task_name = $5, direction = $6, mappings = $7, set_ids = $8,
       is_active = $9, updated_at = $10, version = version + 1 where id = $1 and org_id = $2 returning ${columns}`,
    parametersOf(orgId, values),
  );
  await keepVersion(tx, orgId, row!, values);
  return present(row!);
}

function parametersOf(orgId: string, values: TransformationValues): unknown[] {
  const { id, name, bridgeId, taskName, direction, mappings, setIds, isActive, at } = values;
  return [id, orgId, name, bridgeId, taskName, direction, JSON.stringify(mappings), setIds, isActive, at];
}

/** Those of a bridge that are active, and not any more; each gets a version that says so. */
export async function deactivateTransformationsOf(
  tx: Tx,
  orgId: string,
  bridgeId: string,
  { at, by }: Pick<TransformationValues, "at" | "by">,
): Promise<StoredTransformation[]> {
  const rows = await tx.query<TransformationRow>(
    `with changed as (
       update transformations set is_active = false, updated_at = $3, version = version + 1
        where org_id = $1 and bridge_id = $2 and is_active returning ${columns}),
     kept as (
       insert into transformation_versions (transformation_id, version, org_id, name, mappings, is_active, created_by,
         created_at) select id, version, $1, name, mappings, is_active, $4, $3 from changed)
     select * from changed`,
    [orgId, bridgeId, at, by],
  );
  return rows.map(present);
}

async function keepVersion(
  tx: Tx,
  orgId: string,
  row: TransformationRow,
  { at, by }: Pick<TransformationValues, "at" | "by">,
): Promise<void> {
  await tx.query(
    `insert into transformation_versions (transformation_id, version, org_id, name, mappings, is_active, created_by,
       created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [row.id, row.version, orgId, row.name, JSON.stringify(row.mappings), row.is_active, by, at],
  );
}

export async function deleteTransformation(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("delete from transformations where org_id = $1 and id = $2", [orgId, id]);
}

type Slot = { bridgeId: string; taskName: string; direction: Direction };

/** The one that is active there, locked; `exceptId` does not stand in its own way. */
export async function lockActive(
  tx: Tx,
  orgId: string,
  { bridgeId, taskName, direction }: Slot,
  exceptId: string,
): Promise<StoredTransformation | undefined> {
  const [row] = await tx.query<TransformationRow>(
    `select ${columns} from transformations
      where org_id = $1 and bridge_id = $2 and task_name = $3 and direction = $4 and is_active and id <> $5 for update`,
    [orgId, bridgeId, taskName, direction, exceptId],
  );
  return row && present(row);
}

export type ActiveRow = { id: string; version: number; direction: Direction; set_ids: SetIds };

const activeStatement: Prepared = {
  name: "transformations_active",
  text: `select id, version, direction, set_ids from transformations
      where org_id = $1 and bridge_id = $2 and task_name = $3 and is_active`,
};

/** At most one for each direction; the mappings are left out, for what was made of them may still be good. */
export async function listActive(
  db: Queryable,
  orgId: string,
  bridgeId: string,
  taskName: string,
): Promise<ActiveRow[]> {
  return await db.query<ActiveRow>(activeStatement, [orgId, bridgeId, taskName]);
}

type VersionRow = Omit<TransformationVersion, "createdAt" | "createdBy" | "isActive"> & {
  is_active: boolean;
  created_by: Actor;
  created_at: Date;
};
const versionColumns = "version, name, mappings, is_active, created_by, created_at";

export async function listVersions(
  db: Queryable,
  orgId: string,
  id: string,
  query: PageRequest,
): Promise<Page<TransformationVersion>> {
  const page = await listPage<VersionRow>(db, query, {
    select: versionColumns,
    from: "transformation_versions",
    where: [
      ["org_id = ?", orgId],
      ["transformation_id = ?", id],
    ],
    orderBy: "version desc",
  });
  return mapPage(page, presentVersion);
}

export async function findVersion(
  db: Queryable,
  orgId: string,
  id: string,
  version: number,
): Promise<TransformationVersion | undefined> {
  const [row] = await db.query<VersionRow>(
    `select ${versionColumns} from transformation_versions where org_id = $1 and transformation_id = $2 and version = $3`,
    [orgId, id, version],
  );
  return row && presentVersion(row);
}

function presentVersion({ is_active, created_by, created_at, ...row }: VersionRow): TransformationVersion {
  return { ...row, isActive: is_active, createdBy: created_by, createdAt: created_at.toISOString() };
}

function present(row: TransformationRow): StoredTransformation {
  return {
    id: row.id,
    name: row.name,
    bridgeId: row.bridge_id,
    taskName: row.task_name,
    direction: row.direction,
    mappings: row.mappings,
    isActive: row.is_active,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
    setIds: row.set_ids,
  };
}
