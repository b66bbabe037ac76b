import type { FieldError } from "../../core/errors.ts";
import { validationFailed } from "../../core/errors.ts";
import { isUuid } from "../../core/ids.ts";
import type { Page } from "../../core/page.ts";
import { notFound } from "../../core/resources.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { findUserIds } from "../users/users.ts";
import * as store from "./exception-comments.store.ts";
import { getException } from "./exceptions.ts";
import type { AssigneeRequest, Comment, CommentQuery, CommentRequest, Exception } from "./exceptions.schemas.ts";
import { findException, setAssignee } from "./exceptions.store.ts";

export async function assignException(ctx: Ctx, id: string, { assigneeId }: AssigneeRequest): Promise<Exception> {
  return await change(ctx, async (tx) => {
    if (assigneeId !== null) await requireUsers(tx, ctx, [{ id: assigneeId, pointer: "/assigneeId" }]);
    const before = await findException(tx, ctx.orgId, id);
    if (!(await setAssignee(tx, ctx.orgId, id, assigneeId))) throw notFound("exception");
    if (before?.assigneeId !== assigneeId) {
      recordEvent(tx, ctx, { type: "exception.assigned", objectId: id, data: { assigneeId } });
    }
    return await getException(ctx, id, tx);
  });
}

export async function listComments(ctx: Ctx, id: string, query: CommentQuery): Promise<Page<Comment>> {
  await requireException(ctx, ctx.db, id);
  return await store.listComments(ctx.db, ctx.orgId, id, query);
}

/** The text is free, so it is in no event: an erased comment leaves nothing behind. */
export async function addComment(ctx: Ctx, id: string, { text, mentions = [] }: CommentRequest): Promise<Comment> {
  return await change(ctx, async (tx) => {
    await requireException(ctx, tx, id);
    await requireUsers(
      tx,
      ctx,
      mentions.map((userId, at) => ({ id: userId, pointer: `/mentions/${at}` })),
    );
    const createdAt = ctx.clock.now().toISOString();
    const comment: Comment = { id: ctx.newId(), text: text.trim(), mentions, createdBy: ctx.actor, createdAt };
    await store.insertComment(tx, ctx.orgId, id, comment);
    recordEvent(tx, ctx, { type: "exception.commented", objectId: id, data: { commentId: comment.id, mentions } });
    return comment;
  });
}

/** To other users than administrators, comments of others cannot be deleted: a 404, as for unknown ones. */
export async function deleteComment(ctx: Ctx, exceptionId: string, id: string) {
  return await change(ctx, async (tx) => {
    await requireException(ctx, tx, exceptionId);
    const own = ctx.actor.type === "system" ? ctx.orgId : ctx.actor.id;
    const by = hasScope(ctx.principal.scopes, "admin") ? null : own;
    if (!isUuid(id) || !(await store.deleteComment(tx, ctx.orgId, { exceptionId, id, by }))) throw notFound("comment");
    return { id, deleted: true as const };
  });
}

async function requireException({ orgId }: Ctx, db: Queryable, id: string): Promise<void> {
  if (!(await findException(db, orgId, id))) throw notFound("exception");
}

async function requireUsers(db: Queryable, { orgId }: Ctx, given: { id: string; pointer: string }[]): Promise<void> {
  const known = await findUserIds(
    db,
    orgId,
    given.map(({ id }) => id),
  );
  const errors = given
    .filter(({ id }) => !known.has(id))
    .map(({ pointer }): FieldError => ({ pointer, code: "user_not_found", message: "No active user has this ID." }));
  if (errors.length > 0) throw validationFailed(errors);
}
