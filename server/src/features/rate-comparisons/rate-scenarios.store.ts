import type { Actor } from "../../core/actor.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Mix } from "./rate-mix.schemas.ts";
import type { Definition } from "./rate-targets.schemas.ts";

export type ScenarioRow = {
  id: string;
  comparison_id: string;
  name: string;
  definition: Definition;
  /** 0, without a result: the comparison was a draft. */
  revision: number;
  result: Mix | null;
  version: number;
  created_at: Date;
  updated_at: Date;
};

const columns = "id, comparison_id, name, definition, revision, result, version, created_at, updated_at";

export async function listScenarios(db: Queryable, orgId: string, comparisonId: string): Promise<ScenarioRow[]> {
  return await db.query<ScenarioRow>(
    `select ${columns} from rate_scenarios where org_id = $1 and comparison_id = $2 order by created_at, id`,
    [orgId, comparisonId],
  );
}

export async function getScenario(
  db: Queryable,
  orgId: string,
  comparisonId: string,
  id: string,
): Promise<ScenarioRow> {
  const [row] = await db.query<ScenarioRow>(
    `select ${columns} from rate_scenarios where org_id = $1 and comparison_id = $2 and id = $3`,
    [orgId, comparisonId, id],
  );
  return orNotFound("rate_scenario", row);
}

export async function countScenarios(tx: Tx, orgId: string, comparisonId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    "select count(*)::integer as count from rate_scenarios where org_id = $1 and comparison_id = $2",
    [orgId, comparisonId],
  );
  return row!.count;
}

type NewScenario = Pick<ScenarioRow, "id" | "name" | "definition" | "revision" | "result"> & {
  comparisonId: string;
  by: Actor;
  at: Date;
};

export async function insertScenario(tx: Tx, orgId: string, made: NewScenario): Promise<ScenarioRow> {
  const [row] = await tx.query<ScenarioRow>(
    `insert into rate_scenarios (id, org_id, comparison_id, name, definition, revision, result, created_by, version,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $9)
     returning ${columns}`,
    [
      made.id,
      orgId,
      made.comparisonId,
      made.name,
      JSON.stringify(made.definition),
      made.revision,
      made.result === null ? null : JSON.stringify(made.result),
      made.by,
      made.at,
    ],
  );
  return row!;
}

export async function saveResult(
  tx: Tx,
  orgId: string,
  id: string,
  { revision, result, at }: { revision: number; result: Mix; at: Date },
): Promise<ScenarioRow | undefined> {
  const [row] = await tx.query<ScenarioRow>(
    `update rate_scenarios set revision = $3, result = $4, updated_at = $5, version = version + 1
      where org_id = $1 and id = $2 returning ${columns}`,
    [orgId, id, revision, JSON.stringify(result), at],
  );
  return row;
}

export async function deleteScenario(tx: Tx, orgId: string, comparisonId: string, id: string): Promise<ScenarioRow> {
  const [row] = await tx.query<ScenarioRow>(
    `delete from rate_scenarios where org_id = $1 and comparison_id = $2 and id = $3 returning ${columns}`,
    [orgId, comparisonId, id],
  );
  return orNotFound("rate_scenario", row);
}
