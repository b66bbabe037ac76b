import type { OperationAction, OperationRunResult } from "@order-operations-hub/sdk/api-types";
import { formatCount, formatMoney, plural } from "../../ui/format.ts";
import type { Preflight } from "./operations.queries.ts";
import type { Draft } from "./pipeline.ts";

type StepPrice = NonNullable<OperationRunResult["steps"][number]["price"]>;

/** "$8.12 Ground": in a cell. */
export const priceText = ({ total, currency, service_name }: StepPrice): string =>
  `${formatMoney(total, currency)} ${service_name}`;

/** With who asks for it, and how long it takes. */
export function priceDetail(price: StepPrice): string {
  const { carrier_account, transit_days } = price;
  const days = transit_days === null ? "" : `, ${plural(transit_days, "day")}`;
  return `${carrier_account}: ${priceText(price)}${days}`;
}

/** `text` begins small; `spends`: money leaves when it is run. */
export type Costs = { text: string; spends: boolean };

/**
 * What the steps with a price come to. One that reaches a carrier pays it; a rate that is only chosen costs nothing yet,
 * and is told where nothing is bought with it.
 */
export function costsOf(
  { pipeline, groups }: Pick<Preflight, "pipeline" | "groups">,
  actions: ReadonlyArray<OperationAction | undefined>,
  draft: Draft,
  leftOut: ReadonlySet<string>,
): Costs | undefined {
  const priced = pipeline.filter(({ prices }) => prices.length > 0);
  const buying = priced.find(({ index }) => actions[index]?.effect === "external");
  if (priced.length === 0) return undefined;
  const sums = (buying ? [buying] : priced)
    .flatMap(({ prices }) => prices)
    .map(
      ({ total, currency, orders }) =>
        `${formatMoney(total, currency)} for ${plural(orders, buying ? "label" : "parcel")}`,
    )
    .join(" and ");
  if (!buying) return { text: `rates of ${sums}, nothing is bought`, spends: false };
  // What fails before has no price; what is left out for anything else had one.
  const hadPrice = ({ verdict, step }: Preflight["groups"][number]): boolean =>
    step !== null && (verdict === "warning" || step > buying.index || draft.steps[step]?.on_error === "continue");
  const most = groups.some((group) => leftOut.has(group.code) && hadPrice(group)) ? "at most " : "";
  const unknown = buying.order_count - buying.prices.reduce((sum, { orders }) => sum + orders, 0);
  const more = unknown > 0 ? `; what ${formatCount(unknown)} more cost is not known` : "";
  return { text: `costs ${most}${sums}${more}`, spends: true };
}
