import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { nameRank } from "../../ui/name-rank.ts";

type Searched = Pick<
  OperationAction,
  "type" | "title" | "description" | "params_schema" | "available" | "effect" | "reversible"
>;

/** Matches in parameters, and last in descriptions, rank below every match of the title. */
const fieldRank = 10;
const descriptionRank = 1000;

/**
 * The actions that fit what is typed, best first, and the one that Enter adds. A description may mention anything ("notes why"),
 * so a match there is never added by Enter; nor is an action that cannot be undone, unless it is called by its name.
 */
export function findActions<Action extends Searched>(
  catalog: readonly Action[],
  typed: string,
): { found: Action[]; first: Action | undefined } {
  if (!/[\p{L}\p{N}]/u.test(typed)) return { found: [...catalog], first: undefined };
  const ranked = catalog
    .flatMap((action) => {
      const rank = rankOf(action, typed);
      return rank === undefined ? [] : [{ action, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank);
  const first = ranked.find(({ action }) => action.available);
  return { found: ranked.map(({ action }) => action), first: first && mayBeFirst(first) ? first.action : undefined };
}

function mayBeFirst({ action, rank }: { action: Searched; rank: number }): boolean {
  if (rank >= descriptionRank) return false;
  return rank < fieldRank || (action.reversible && action.effect === "local");
}

function rankOf({ title, type, description, params_schema }: Searched, typed: string): number | undefined {
  const named = [nameRank(title, typed), nameRank(type, typed)].filter((rank) => rank !== undefined);
  if (named.length > 0) return Math.min(...named);
  // The first parameter matters most: "weight" means the package action rather than the rate choice.
  const field = Object.keys((params_schema["properties"] as object | undefined) ?? {}).findIndex(
    (name) => (nameRank(name, typed) ?? 4) < 4,
  );
  if (field >= 0) return fieldRank + field;
  const mentioned = nameRank(description, typed);
  return mentioned === undefined ? undefined : descriptionRank + mentioned;
}
