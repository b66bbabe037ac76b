import type { OperationAction, OperationRunResult } from "@order-operations-hub/sdk/api-types";
import { formatCount, formatMoney, plural } from "../../ui/format.ts";
import type { Preflight } from "./operations.queries.ts";
import type { Draft } from "./pipeline.ts";

type StepPrice = NonNullable<OperationRunResult["steps"][number]["price"]>;

/** "$8.12 Ground": in a cell. */
export const priceText = ({ total, currency, service_name }: StepPrice): string =>
  `${formatMoney(total, currency)} ${service_name}`;

/** Price with carrier and transit time. */
export function priceDetail(price: StepPrice): string {
  const { carrier_account, transit_days } = price;
  const days = transit_days === null ? "" : `, ${plural(transit_days, "day")}`;
  return `${carrier_account}: ${priceText(price)}${days}`;
}

/** `text` starts in lower case; `spends`: running it buys labels. */
export type Costs = { text: string; spends: boolean };

/**
 * Total of the priced steps. Buying a label costs money; a chosen rate costs nothing yet and is shown only when nothing is
 * bought.
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
  if (!buying) return { text: `rates of ${sums}; no label is bought`, spends: false };
  // Orders that fail earlier have no price; orders excluded for other reasons have one.
  const hadPrice = ({ verdict, step }: Preflight["groups"][number]): boolean =>
    step !== null && (verdict === "warning" || step > buying.index || draft.steps[step]?.on_error === "continue");
  const most = groups.some((group) => leftOut.has(group.code) && hadPrice(group)) ? "at most " : "";
  const unknown = buying.order_count - buying.prices.reduce((sum, { orders }) => sum + orders, 0);
  const more = unknown > 0 ? `; the price of ${formatCount(unknown)} more is not known` : "";
  return { text: `costs ${most}${sums}${more}`, spends: true };
}
