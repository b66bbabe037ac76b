import { toMg } from "../../carriers/rate-card/measures.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import type { FieldError } from "../../core/errors.ts";
import { validationFailed } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { Prepared } from "./prepare-rater.ts";
import type { PricedComparison } from "./rate-mix.ts";
import type { Definition } from "./rate-targets.schemas.ts";
import { listTargets } from "./rate-targets.store.ts";

/** Refuses targets and surcharges that do not exist, and conditions that nothing can meet. All problems at once. */
export async function checkDefinition(
  ctx: Ctx,
  row: Prepared & PricedComparison,
  definition: Definition,
): Promise<void> {
  const count = row.targets.length;
  const errors = [
    ...unknownTargets(definition, count),
    ...emptyConditions(definition),
    ...oddCommitments(definition),
    ...unknownSurcharges(definition, await surchargesByTarget(ctx, row)),
  ];
  if (errors.length > 0) throw validationFailed(errors);
}

function unknownTargets({ terms = [], rules = [], commitments = [] }: Definition, count: number): FieldError[] {
  const message = count === 1 ? "The comparison has one target." : `The comparison has the targets 1 to ${count}.`;
  return Object.entries({ terms, rules, commitments }).flatMap(([list, entries]) =>
    entries.flatMap(({ target }, index) =>
      target === undefined || target <= count
        ? []
        : [{ pointer: `/${list}/${index}/target`, code: "out_of_range", message }],
    ),
  );
}

function emptyConditions({ rules = [] }: Definition): FieldError[] {
  return rules.flatMap(({ weightOver, weightUpTo }, index) => {
    if (!weightOver || !weightUpTo || toMg(weightOver) < toMg(weightUpTo)) return [];
    const message = "No parcel is this light: weightUpTo must be more than weightOver.";
    return [{ pointer: `/rules/${index}/weightUpTo`, code: "out_of_range", message }];
  });
}

function oddCommitments({ commitments = [] }: Definition): FieldError[] {
  return commitments.flatMap(({ target, minParcels, minRevenue }, index) => {
    const pointer = `/commitments/${index}`;
    if (minParcels === undefined && minRevenue === undefined)
      return [{ pointer, code: "required", message: "Send minParcels, minRevenue or both." }];
    if (commitments.findIndex((one) => one.target === target) === index) return [];
    return [{ pointer: `${pointer}/target`, code: "duplicate", message: `Target ${target} has another commitment.` }];
  });
}

async function surchargesByTarget(ctx: Ctx, row: Prepared & PricedComparison): Promise<Set<string>[]> {
  const codes = (cards: RateCard[]): Set<string> =>
    new Set(cards.flatMap(({ surcharges = [] }) => surcharges.map(({ code }) => code)));
  const others = await listTargets(ctx.db, row.id);
  return [
    codes([row.card, ...(row.dated_cards?.target.cards ?? [])]),
    ...others.map(({ card, dated_cards }) => codes([card, ...(dated_cards?.cards ?? [])])),
  ];
}

function unknownSurcharges({ terms = [] }: Definition, byTarget: Set<string>[]): FieldError[] {
  return terms.flatMap(({ target, surchargePercents = {} }, index) => {
    const known = target === undefined ? byTarget : byTarget.slice(target - 1, target);
    const codes = [...new Set(known.flatMap((set) => [...set]))];
    return Object.keys(surchargePercents)
      .filter((code) => !codes.includes(code))
      .map((code) => ({
        pointer: `/terms/${index}/surchargePercents/${code.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        code: "unknown_surcharge",
        message: `No card of ${target === undefined ? "the targets" : `target ${target}`} has this surcharge. ${
          codes.length === 0 ? "They have none." : `There are ${codes.join(", ")}.`
        }`,
      }));
  });
}
