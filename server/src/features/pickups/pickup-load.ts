import type { Address } from "../../core/address.ts";
import type { FieldError } from "../../core/errors.ts";
import { badField } from "../../core/errors.ts";
import type { Weight } from "../../core/weight.ts";
import { addWeights } from "../../core/weight.ts";
import type { Ctx } from "../../context.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import type { ShipmentLabel } from "../labels/labels.ts";
import {
  chooseGroup,
  handoverGroupOf,
  handoverParcels,
  listLabelsOfHandover,
  listWaitingLabels,
} from "../labels/labels.ts";
import type { Pickup } from "./pickup.ts";
import type { CheckAnswer, PickupRequest } from "./pickups.schemas.ts";
import * as store from "./pickups.store.ts";

/** What the driver collects. `errors`: why the labels cannot be collected as requested. */
export type Load = {
  packageCount: number;
  totalWeight: Weight | undefined;
  labels: ShipmentLabel[];
  handoverGroup: string;
  errors: FieldError[];
};

type Requested = Pick<PickupRequest, "packageCount" | "totalWeight" | "fromLabels" | "group" | "earlierShipDays">;
type Place = { open: OpenCarrier; address: Address; day: Temporal.PlainDate };

/** `former`: the pickup that is rescheduled, with the labels that it has. */
export async function findLoad(ctx: Ctx, request: Requested, place: Place, former?: Pickup): Promise<Load> {
  refuseMixture(request);
  if (request.fromLabels) return await loadFromLabels(ctx, request, place);
  if (former && former.labelCount > 0) return await loadOfFormer(ctx, request, former);
  const { packageCount, totalWeight } = request;
  if (packageCount === undefined) {
    throw badField("/packageCount", "required", "`packageCount` is required, unless `fromLabels` is true.");
  }
  return { packageCount, totalWeight, labels: [], handoverGroup: "", errors: [] };
}

function refuseMixture({ fromLabels, packageCount, totalWeight, group, earlierShipDays }: Requested): void {
  const derived = Object.entries({ packageCount, totalWeight }).find(([, value]) => value !== undefined);
  if (fromLabels && derived) {
    const message = `\`${derived[0]}\` comes from the labels. Leave it out, or leave out \`fromLabels\`.`;
    throw badField(`/${derived[0]}`, "not_with_labels", message);
  }
  const own = Object.entries({ group, earlierShipDays }).find(([, value]) => value !== undefined);
  if (!fromLabels && own) {
    throw badField(`/${own[0]}`, "only_with_labels", `\`${own[0]}\` is for pickups with \`fromLabels\`.`);
  }
}

/** Labels of the day that no other pickup collects. */
async function findFreeLabels(
  ctx: Ctx,
  request: Pick<Requested, "earlierShipDays">,
  { open, address, day }: Place,
): Promise<ShipmentLabel[]> {
  const firstDay = day.subtract({ days: request.earlierShipDays ?? 0 }).toString();
  const query = { carrierAccountId: open.account.id, from: address, firstDay, lastDay: day.toString() };
  const waiting = await listWaitingLabels(ctx.db, ctx, query);
  const pickupIds = [...new Set(waiting.flatMap(({ pickupId }) => pickupId ?? []))];
  const failed = await store.findFailedIds(ctx.db, ctx.orgId, pickupIds);
  return waiting.filter(({ pickupId }) => pickupId === null || failed.has(pickupId));
}

/** The groups of parcels that wait, each for a driver of its own; `""` where all go together. */
export async function waitingGroups(
  ctx: Ctx,
  request: Pick<Requested, "earlierShipDays">,
  place: Place,
): Promise<string[]> {
  const free = await findFreeLabels(ctx, request, place);
  return [...new Set(free.map((label) => handoverGroupOf(place.open.carrier, label)))].toSorted();
}

async function loadFromLabels(ctx: Ctx, request: Requested, place: Place): Promise<Load> {
  const free = await findFreeLabels(ctx, request, place);
  const { open } = place;
  const chosen = chooseGroup(open.carrier, free, request.group, "/fromLabels");
  if ("error" in chosen) {
    return { packageCount: 0, totalWeight: undefined, labels: [], handoverGroup: "", errors: [chosen.error] };
  }
  return { ...measure(chosen.labels), labels: chosen.labels, handoverGroup: chosen.group, errors: [] };
}

/** Labels that were voided since then are no longer collected. A count that was given may include parcels without a label. */
async function loadOfFormer(ctx: Ctx, request: Requested, former: Pickup): Promise<Load> {
  const assigned = await listLabelsOfHandover(ctx.db, ctx, { pickupId: former.id });
  const labels = assigned.filter(({ status, voidRequestedAt }) => status === "purchased" && voidRequestedAt === null);
  const measured = measure(labels);
  const { packageCount = measured.packageCount, totalWeight = measured.totalWeight } = request;
  const errors: FieldError[] = [];
  if (labels.length === 0) {
    const message = "All labels of this pickup were voided. Cancel the pickup.";
    errors.push({ pointer: "/packageCount", code: "no_labels", message });
  } else if (packageCount < measured.packageCount) {
    const message = `The labels of this pickup have ${measured.packageCount} packages. Void the labels that are not collected.`;
    errors.push({ pointer: "/packageCount", code: "fewer_than_labels", message });
  }
  return { packageCount, totalWeight, labels, handoverGroup: former.handoverGroup, errors };
}

function measure(labels: ShipmentLabel[]): Pick<Load, "packageCount" | "totalWeight"> {
  const parcels = handoverParcels(labels);
  const weights = parcels.map(({ weight }) => weight);
  const [first, ...rest] = weights;
  return {
    packageCount: parcels.length,
    totalWeight: first && addWeights(first, ...rest),
  };
}

export function presentLoad({ labels, packageCount, totalWeight, handoverGroup }: Load): CheckAnswer["labels"] {
  const byService = Map.groupBy(handoverParcels(labels), ({ service }) => service);
  return {
    labelIds: labels.map(({ id }) => id),
    packageCount,
    totalWeight: totalWeight ?? null,
    services: [...byService].map(([service, parcels]) => ({ service, packageCount: parcels.length })),
    group: handoverGroup === "" ? null : handoverGroup,
  };
}
