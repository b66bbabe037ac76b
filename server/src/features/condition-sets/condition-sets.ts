import { createHash } from "node:crypto";
import type { SetLookup } from "../../core/conditions.ts";
import type { Page } from "../../core/page.ts";
import type { FieldError } from "../../core/errors.ts";
import { badField, HubError, validationFailed } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, nextVersion, requirePatch } from "../../core/versions.ts";
import type {
  ConditionSet,
  ConditionSetPatch,
  ConditionSetQuery,
  ConditionSetRequest,
  ConditionSetUse,
  ValuesQuery,
} from "./condition-sets.schemas.ts";
import { maxValuesPerSet } from "./condition-sets.schemas.ts";
import * as store from "./condition-sets.store.ts";
import { matchKey, normaliseValue } from "./match-key.ts";

export async function listConditionSets(ctx: Ctx, query: ConditionSetQuery): Promise<Page<ConditionSet>> {
  return await store.listConditionSets(ctx.db, ctx.orgId, query);
}

export async function getConditionSet(ctx: Ctx, id: string): Promise<ConditionSet> {
  return await store.getConditionSet(ctx.db, ctx.orgId, id);
}

export async function createConditionSet(ctx: Ctx, request: ConditionSetRequest): Promise<ConditionSet> {
  const { name, description = "", matching = "case_insensitive" } = request;
  return await change(ctx, async (tx) => {
    const at = ctx.clock.now().toISOString();
    const values = { valueCount: 0, usedBy: [] };
    const set = { id: ctx.newId(), name, description, matching, ...values, createdAt: at, updatedAt: at, version: 1 };
    await refuseTakenName(store.insertConditionSet(tx, ctx.orgId, set));
    const data = { name, description, matching, version: 1 };
    recordEvent(tx, ctx, { type: "condition_set.created", objectId: set.id, data });
    return set;
  });
}

export async function updateConditionSet(
  ctx: Ctx,
  id: string,
  patch: ConditionSetPatch,
  ifMatch: IfMatch,
): Promise<ConditionSet> {
  requirePatch(patch);
  return await change(ctx, async (tx) => {
    const set = await store.lockConditionSet(tx, ctx.orgId, id);
    checkVersion(set, ifMatch);
    if (patch.matching !== undefined && patch.matching !== set.matching && set.valueCount > 0) {
      throw new HubError("condition_set_not_empty", "`matching` can only be changed while the set has no values.");
    }
    if (patch.name !== undefined && patch.name.toLowerCase() !== set.name.toLowerCase()) refuseIfNamed(set);
    const updated = nextVersion(set, patch, ctx.clock.now());
    await refuseTakenName(store.updateConditionSet(tx, ctx.orgId, updated));
    const data = { ...patch, version: updated.version };
    recordEvent(tx, ctx, { type: "condition_set.updated", objectId: id, data });
    return updated;
  });
}

export async function deleteConditionSet(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const set = await store.lockConditionSet(tx, ctx.orgId, id);
    checkVersion(set, ifMatch);
    if (set.usedBy.length > 0) {
      throw new HubError("condition_set_in_use", `${set.name} is used in ${set.usedBy.length} place(s).`, {
        extra: { usedBy: set.usedBy },
      });
    }
    await store.deleteConditionSet(tx, ctx.orgId, id);
    const { name, valueCount, version } = set;
    recordEvent(tx, ctx, { type: "condition_set.deleted", objectId: id, data: { name, valueCount, version } });
    return { id, deleted: true as const };
  });
}

export async function listValues(ctx: Ctx, id: string, query: ValuesQuery): Promise<Page<string>> {
  const set = await getConditionSet(ctx, id);
  const key = query.value === undefined ? undefined : matchKey(query.value, set.matching);
  return await store.listValues(ctx.db, set, query, key);
}

const shownPresent = 100;

export async function addValues(ctx: Ctx, id: string, values: string[]) {
  refuseBlank(values);
  return await change(ctx, async (tx) => {
    const set = await store.lockConditionSet(tx, ctx.orgId, id);
    const byKey = new Map<string, string>();
    for (const value of values) {
      const key = matchKey(value, set.matching);
      // Of two spellings the first is kept, as it is when they come one after the other.
      if (!byKey.has(key)) byKey.set(key, normaliseValue(value));
    }
    const present = await store.listPresent(tx, id, [...byKey.keys()], shownPresent);
    const added = await store.insertValues(tx, id, [...byKey.keys()], [...byKey.values()]);
    const valueCount = set.valueCount + added;
    if (valueCount > maxValuesPerSet) {
      const message = `A set holds at most ${maxValuesPerSet} values; this would make ${valueCount}.`;
      throw badField("/values", "too_many_values", message);
    }
    if (added > 0) {
      const data = { added, ...(await saveValueCount(tx, ctx, set, valueCount)) };
      recordEvent(tx, ctx, { type: "condition_set.values_added", objectId: id, data });
    }
    const shown = present.length === 0 ? {} : { present };
    return { added, alreadyPresent: values.length - added, valueCount, ...shown };
  });
}

export async function removeValues(ctx: Ctx, id: string, values: string[]) {
  return await change(ctx, async (tx) => {
    const set = await store.lockConditionSet(tx, ctx.orgId, id);
    const byKey = new Map(values.map((value) => [matchKey(value, set.matching), value]));
    const removed = new Set(await store.deleteValues(tx, id, [...byKey.keys()]));
    const valueCount = set.valueCount - removed.size;
    if (removed.size > 0) {
      const data = { removed: removed.size, ...(await saveValueCount(tx, ctx, set, valueCount)) };
      recordEvent(tx, ctx, { type: "condition_set.values_removed", objectId: id, data });
    }
    const notFoundValues = [...byKey].filter(([key]) => !removed.has(key)).map(([, value]) => value);
    return { removed: removed.size, notFound: notFoundValues, valueCount };
  });
}

export async function clearValues(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const set = await store.lockConditionSet(tx, ctx.orgId, id);
    if (set.valueCount > 0) {
      await store.clearValues(tx, id);
      const data = { removed: set.valueCount, ...(await saveValueCount(tx, ctx, set, 0)) };
      recordEvent(tx, ctx, { type: "condition_set.values_cleared", objectId: id, data });
    }
    return { removed: set.valueCount, valueCount: 0 };
  });
}

/** Called by what refers to condition sets, whenever it is saved or deleted: the sets (ids or names) it uses. */
export async function recordConditionSetUses(tx: Tx, ctx: Ctx, user: ConditionSetUse, setIds: string[]): Promise<void> {
  await store.replaceUses(tx, ctx.orgId, user, setIds);
}

/** Those that exist, with the version that grows with every change of their values. */
export async function findSets(db: Queryable, orgId: string, idsOrNames: string[]): Promise<store.SetStamp[]> {
  return idsOrNames.length === 0 ? [] : await store.findSets(db, orgId, idsOrNames);
}

/** Membership in each of these sets (by id or name), loaded once so that a test costs no query. */
export async function loadSetLookup(
  { db, orgId }: { db: Queryable; orgId: string },
  idsOrNames: string[],
): Promise<SetLookup> {
  return (await loadSets({ db, orgId }, idsOrNames)).lookup;
}

export type LoadedSets = {
  lookup: SetLookup;
  /** The same for the same values, whatever order they are in. */
  digest(): string;
};

export async function loadSets(
  { db, orgId }: { db: Queryable; orgId: string },
  idsOrNames: string[],
): Promise<LoadedSets> {
  const sets = idsOrNames.length === 0 ? [] : await store.loadSetKeys(db, orgId, idsOrNames);
  const byName = new Map<string, (value: string) => boolean>();
  for (const { id, name, matching, keys } of sets) {
    const members = new Set(keys);
    const has = (value: string): boolean => members.has(matchKey(value, matching));
    byName.set(id, has).set(name.toLowerCase(), has);
  }
  return {
    lookup: (idOrName) => byName.get(idOrName.toLowerCase()),
    digest() {
      const hash = createHash("sha256");
      for (const { id, name, matching, keys } of sets.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        hash.update(JSON.stringify([id, name, matching, keys.toSorted()]));
      }
      return hash.digest("hex");
    },
  };
}

/** Common data of the events about values. */
async function saveValueCount(tx: Tx, ctx: Ctx, set: ConditionSet, valueCount: number) {
  const updated = nextVersion(set, { valueCount }, ctx.clock.now());
  await store.updateConditionSet(tx, ctx.orgId, updated);
  return { valueCount, version: updated.version };
}

async function refuseTakenName(saved: Promise<void>): Promise<void> {
  await refuseDuplicate(
    saved,
    "condition_sets_name_key",
    () => new HubError("name_taken", "Another condition set has this name."),
  );
}

/** Rate cards, pipelines and automations may refer to a set by its name, and would not find it any more. Transformations keep its id. */
function refuseIfNamed(set: ConditionSet): void {
  const usedBy = set.usedBy.filter(({ type }) => type !== "transformation");
  if (usedBy.length === 0) return;
  const message = `${set.name} cannot be renamed while ${usedBy.length} rate card(s), pipeline(s) or automation(s) refer to it.`;
  throw new HubError("condition_set_in_use", message, { extra: { usedBy } });
}

function refuseBlank(values: string[]): void {
  const errors: FieldError[] = [];
  for (const [index, value] of values.entries()) {
    if (normaliseValue(value) === "" && errors.length < 20) {
      errors.push({ pointer: `/values/${index}`, code: "blank", message: "A value must not be blank." });
    }
  }
  if (errors.length > 0) throw validationFailed(errors);
}
