import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { ActionRequest, SavedPipeline } from "./operations.schemas.ts";
import type { OnError } from "./evaluate.ts";

type PipelineRow = {
  id: string;
  name: string;
  description: string;
  actions: ActionRequest[];
  on_error: OnError;
  is_atomic: boolean;
  version: number;
  created_at: Date;
  updated_at: Date;
};

type Fields = "id" | "name" | "description" | "actions" | "on_error" | "atomic";
export type PipelineFields = Pick<SavedPipeline, Fields> & { at: Date };

export async function listPipelines(db: Queryable, orgId: string, query: PageRequest): Promise<Page<SavedPipeline>> {
  const page = await listPage<PipelineRow>(db, query, {
    select: "*",
    from: "operation_pipelines",
    where: [["org_id = ?", orgId]],
    orderBy: "created_at desc, id desc",
  });
  return mapPage(page, present);
}

export async function findPipeline(db: Queryable, orgId: string, id: string): Promise<SavedPipeline | undefined> {
  return await select(db, orgId, id, "");
}

export async function lockPipeline(tx: Tx, orgId: string, id: string): Promise<SavedPipeline | undefined> {
  return await select(tx, orgId, id, "for update");
}

async function select(db: Queryable, orgId: string, id: string, lock: string): Promise<SavedPipeline | undefined> {
  const text = `select * from operation_pipelines where org_id = $1 and id = $2 ${lock}`;
  const [row] = await db.query<PipelineRow>(text, [orgId, id]);
  return row && present(row);
}

export async function insertPipeline(tx: Tx, orgId: string, pipeline: PipelineFields): Promise<SavedPipeline> {
  const [row] = await tx.query<PipelineRow>(
    `insert into operation_pipelines (org_id, id, name, description, actions, on_error, is_atomic, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning *`,
    valuesOf(orgId, pipeline),
  );
  return present(row!);
}

export async function updatePipeline(tx: Tx, orgId: string, pipeline: PipelineFields): Promise<SavedPipeline> {
  const [row] = await tx.query<PipelineRow>(
    `update operation_pipelines set name = $3, description = $4, actions = $5, on_error = $6, is_atomic = $7,
       updated_at = $8, version = version + 1 where org_id = $1 and id = $2 returning *`,
    valuesOf(orgId, pipeline),
  );
  return present(row!);
}

export async function deletePipeline(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("delete from operation_pipelines where org_id = $1 and id = $2", [orgId, id]);
}

function valuesOf(orgId: string, pipeline: PipelineFields): unknown[] {
  const { id, name, description, actions, on_error, atomic, at } = pipeline;
  return [orgId, id, name, description, JSON.stringify(actions), on_error, atomic, at];
}

function present(row: PipelineRow): SavedPipeline {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    actions: row.actions,
    on_error: row.on_error,
    atomic: row.is_atomic,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    version: row.version,
  };
}
