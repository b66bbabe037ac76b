import type { Queryable } from "../../db/database.ts";

export type LogLine = { at: Date; attempt: number; level: "info" | "warn" | "error"; message: string };

export async function listLogs(db: Queryable, id: string, limit: number): Promise<LogLine[]> {
  const rows = await db.query<LogLine>(
    `select at, attempt, level, message from task_logs where execution_id = $1 order by position desc limit $2`,
    [id, limit],
  );
  return rows.toReversed();
}

export async function listLogsAfter(db: Queryable, id: string, after: number, limit: number): Promise<LogLine[]> {
  return await db.query<LogLine>(
    `select at, attempt, level, message from task_logs where execution_id = $1 order by position offset $2 limit $3`,
    [id, after, limit],
  );
}
