import type { SheetRecord } from "../../../core/csv/sheet.ts";
import type { FieldError } from "../../../core/errors.ts";
import type { RowFailure } from "../../../core/row-failure.ts";
import { failAt, invalidRow } from "../../../core/row-failure.ts";
import type { Ctx } from "../../../context.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import { findImportedErrors } from "../create-orders.ts";
import { changesOf } from "../order-changes.ts";
import { recordOrders } from "../order-events.ts";
import { ruleErrors } from "../order-fields.ts";
import { findMissingReferences, newReferences } from "../order-references.ts";
import { moveProblem } from "../order-rules.ts";
import type { Order } from "../order.ts";
import { editOf, mergeRequest } from "../change-order.ts";
import type { ImportedOrder } from "../orders.schemas.ts";
import * as store from "../orders.store.ts";
import { maskedErrors } from "../personal-data.ts";
import type { Edit } from "../save-changes.ts";
import { saveChanges } from "../save-changes.ts";
import { explainUnknown } from "../unknown-orders.ts";
import { withLineIds } from "./pulled-order.ts";

/** Finds the existing orders by number; a number that several orders have is a failure. */
export async function findNumbered(
  db: Queryable,
  ctx: Ctx,
  records: readonly SheetRecord[],
  failures: Map<SheetRecord, RowFailure>,
): Promise<Map<SheetRecord, string>> {
  const numbered = records.flatMap((record) => {
    const { number } = record.request;
    return typeof number === "string" ? [{ record, number }] : [];
  });
  const numbers = numbered.map(({ number }) => number);
  const ids = await store.resolveRefs(db, ctx.orgId, numbers);
  const explain = await explainUnknown(
    db,
    ctx.orgId,
    numbers.filter((number) => !ids.has(number)),
  );
  const known = new Map<SheetRecord, string>();
  for (const { record, number } of numbered) {
    const id = ids.get(number);
    const { code, message } = explain(number);
    if (id !== undefined) known.set(record, id);
    else if (code === "order_number_ambiguous") failures.set(record, failAt("/number", code, message));
  }
  return known;
}

/**
 * Updates existing orders with the fields of the file; other fields are unchanged. The rules are those of PATCH: an invalid update
 * fails without affecting the others.
 */
export async function updateNumbered(
  db: Queryable,
  ctx: Ctx,
  known: ReadonlyMap<SheetRecord, string>,
  failures: Map<SheetRecord, RowFailure>,
  dryRun: boolean,
): Promise<{ updated: number; unchanged: number }> {
  const ids = [...new Set(known.values())];
  const locked = dryRun ? await store.readOrders(db, ctx.orgId, ids) : await store.lockOrders(db as Tx, ctx.orgId, ids);
  const orders = new Map(locked.map((order) => [order.id, order]));
  const plans: ({ record: SheetRecord } & Planned)[] = [];
  for (const [record, id] of known) {
    const order = orders.get(id);
    const planned = order
      ? planEdit(ctx, order, record.request)
      : failAt("/number", "conflict", "It was just deleted.");
    if ("edit" in planned) plans.push({ record, ...planned });
    else failures.set(record, planned);
  }
  const missing = await findMissingReferences(
    db,
    ctx.orgId,
    plans.map(({ request, edit }) => newReferences(request, edit.order)),
  );
  const edits = plans.flatMap(({ record, edit }, index) => {
    if (!missing[index]) return [edit];
    failures.set(record, missing[index]);
    return [];
  });
  if (dryRun) {
    const updated = edits.filter(({ order, patch, unseen }) => changesOf(order, patch, unseen).length > 0).length;
    return { updated, unchanged: edits.length - updated };
  }
  const saved = await saveChanges(db as Tx, ctx, "imported", edits);
  recordOrders(db as Tx, ctx, { type: "orders.updated", source: "csv", ...saved });
  return { updated: saved.orders.length, unchanged: edits.length - saved.orders.length };
}

type Planned = { edit: Edit; request: ImportedOrder };

function planEdit(ctx: Ctx, order: Order, given: Record<string, unknown>): Planned | RowFailure {
  const { number: _number, notes, ...said } = withLineIds(given, order);
  const added = (notes ?? []).filter(({ text }) => !order.notes.some((note) => note.text === text));
  const patch = added.length === 0 ? said : { ...said, notes: [...order.notes.map(keptNote), ...added] };
  const request = mergeRequest(order, patch);
  const misshapen = findImportedErrors(patch);
  const errors: FieldError[] =
    misshapen.length > 0 ? misshapen : [...ruleErrors(request, order), ...maskedErrors(patch)];
  if (errors.length > 0) return invalidRow(errors);
  const problem = said.status === undefined ? undefined : moveProblem(order, said.status);
  if (problem) return failAt("/status", "invalid_state", `${problem.message} ${problem.fix}`);
  return { edit: editOf(ctx, order, patch, request), request };
}

function keptNote({ id, text, visibility }: Order["notes"][number]) {
  return { id, text, visibility };
}
