import type { Database, Prepared, Queryable, Tx } from "../db/database.ts";

type Statement = { text: string; values: readonly unknown[]; opening: string | undefined };

/** Records the statements that `work` sends, in and outside of transactions, so that their plans can be checked. */
export async function recordStatements(db: Database, work: (db: Database) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const recording =
    (queryable: Queryable, opening?: string): Queryable["query"] =>
    (statement, values = []) => {
      statements.push({ text: textOf(statement), values: [...values], opening });
      return queryable.query(statement, values);
    };
  const recorder: Database = {
    ...db,
    query: recording(db),
    transaction: (run, opening) =>
      db.transaction(async (tx) => {
        const query = recording(tx, opening);
        const queue: Tx["queue"] = (statement, values = []) => {
          statements.push({ text: textOf(statement), values: [...values], opening });
          tx.queue(statement, values);
        };
        return await run({ ...tx, query, queue });
      }, opening),
    forOrg: () => recorder,
    get acrossOrgs() {
      return recorder;
    },
    get background() {
      return recorder;
    },
  };
  await work(recorder);
  return statements;
}

const textOf = (statement: string | Prepared): string => (typeof statement === "string" ? statement : statement.text);

type PlanNode = { "Node Type": string; "Relation Name"?: string; "Index Name"?: string; Plans?: PlanNode[] };

/** How a statement reads its tables: `table: index`, or `table: Seq Scan`, each once, sorted. */
export async function scansOf(db: Queryable, { text, values }: Pick<Statement, "text" | "values">): Promise<string[]> {
  const [row] = await db.query<{ "QUERY PLAN": { Plan: PlanNode }[] }>(`explain (format json) ${text}`, values);
  return [...new Set(nodesOf(row!["QUERY PLAN"][0]!.Plan).flatMap(scanText))].toSorted();
}

/** The same under the settings of the recorded transaction's opening, without its locks. */
export async function scansInTransaction(db: Database, statement: Statement): Promise<string[]> {
  const settings = (statement.opening ?? "").split("; ").filter((part) => part.startsWith("set local"));
  return await db.transaction((tx) => scansOf(tx, statement), settings.length === 0 ? undefined : settings.join("; "));
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function scanText({ "Node Type": type, "Relation Name": table, "Index Name": index }: PlanNode): string[] {
  if (type === "Bitmap Index Scan") return [`bitmap: ${index}`];
  if (table === undefined || type === "ModifyTable" || type === "Bitmap Heap Scan") return [];
  return [`${table}: ${index ?? type}`];
}
