import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { Comment, CommentQuery } from "./exceptions.schemas.ts";

const { selected, fromRow } = defineColumns<Comment>("comment", {
  text: "text",
  mentions: "uuid[]",
  createdBy: "jsonb",
  createdAt: moment,
});

/** Oldest first, as they are read. */
export async function listComments(
  db: Queryable,
  orgId: string,
  exceptionId: string,
  query: CommentQuery,
): Promise<Page<Comment>> {
  const page = await listPage<Stored<Comment>>(db, query, {
    select: selected,
    from: "exception_comments comment",
    where: [
      ["comment.org_id = ?", orgId],
      ["comment.exception_id = ?", exceptionId],
    ],
    orderBy: "comment.created_at, comment.id",
  });
  return mapPage(page, fromRow);
}

export async function insertComment(tx: Tx, orgId: string, exceptionId: string, comment: Comment): Promise<void> {
  const { id, text, mentions, createdBy, createdAt } = comment;
  await tx.query(
    `insert into exception_comments (id, org_id, exception_id, text, mentions, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, orgId, exceptionId, text, mentions, createdBy, createdAt],
  );
}

/** With `by`, only a comment of this user or key. False if there is none. */
export async function deleteComment(
  tx: Tx,
  orgId: string,
  { exceptionId, id, by }: { exceptionId: string; id: string; by: string | null },
): Promise<boolean> {
  const rows = await tx.query(
    `delete from exception_comments
      where org_id = $1 and exception_id = $2 and id = $3 and ($4::text is null or created_by ->> 'id' = $4)
      returning 1`,
    [orgId, exceptionId, id, by],
  );
  return rows.length === 1;
}
