import type { Label } from "../../carriers/carrier.ts";
import { labelTypes } from "../../carriers/carrier.ts";
import type { Said } from "../../carriers/said.ts";
import { hear } from "../../carriers/said.ts";
import { linePattern } from "../../core/schema.ts";
import type { Ctx } from "../../context.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { readOrders } from "../orders/orders.ts";
import type { PreparedParcel } from "../shipments/shipments.ts";
import { prepareParcel } from "../shipments/shipments.ts";
import type { ShipmentLabel } from "./label.ts";
import { effectKeyOf } from "./label.ts";

export const maxContentBytes = 1024 * 1024;

/** A label that was sold, read with care: what a carrier answers is not ours to trust. */
export type Sold = {
  trackingNumber: string;
  service: string;
  costCents: number | null;
  contentType: Label["contentType"];
  content: Buffer | null;
  /** Why there is nothing to print, though it is paid for. */
  lack: { code: string; message: string } | null;
  parcel: PreparedParcel;
};

/** Asks for the label, outside of any transaction, and looks at what came. */
export async function askForLabel(ctx: Ctx, open: OpenCarrier, label: ShipmentLabel): Promise<Said<Sold>> {
  const { service, from, to, weight, dimensions, reference } = label;
  const request = {
    service,
    from,
    to,
    weight,
    ...(dimensions === null ? {} : { dimensions }),
    ...(reference === null ? {} : { reference }),
  };
  const call = open.call(effectKeyOf(label));
  const said = await hear(ctx.log, (signal) => open.carrier.createLabel!({ ...call, signal }, request));
  if (!("done" in said)) return said;
  const problem = problemOf(said.done);
  const parcel = problem === undefined ? await prepare(ctx, label, said.done) : undefined;
  if (!parcel || parcel.failures.size > 0) {
    ctx.log.error({ labelId: label.id, problem }, "a carrier sold a label that cannot be recorded");
    const message = "The carrier may have sold the label, but its answer cannot be used. Ask it about the reference.";
    return { refused: { code: "invalid_answer", message } };
  }
  return { done: { ...said.done, ...readContent(said.done), parcel } };
}

export async function askToVoid(ctx: Ctx, open: OpenCarrier, label: ShipmentLabel): Promise<Said<void>> {
  const call = open.call(`${effectKeyOf(label)}:void`);
  const trackingNumber = label.trackingNumber ?? "";
  return await hear(ctx.log, (signal) => open.carrier.voidLabel!({ ...call, signal }, { trackingNumber }));
}

const line = new RegExp(linePattern, "u");

function problemOf({ trackingNumber, service, costCents, contentType, content }: Label): string | undefined {
  const isLine = (text: unknown): boolean => typeof text === "string" && text.length <= 100 && line.test(text);
  if (!isLine(trackingNumber)) return "trackingNumber";
  if (!isLine(service)) return "service";
  if (costCents !== null && !(Number.isSafeInteger(costCents) && costCents >= 0)) return "costCents";
  if (!labelTypes.includes(contentType)) return "contentType";
  return typeof content === "string" ? undefined : "content";
}

function readContent({ content, trackingNumber }: Label): Pick<Sold, "content" | "lack"> {
  const bytes = (content.length / 4) * 3 > maxContentBytes * 2 ? undefined : Buffer.from(content, "base64");
  if (bytes === undefined || bytes.length > maxContentBytes) {
    const message = `What the carrier sent has more than ${maxContentBytes} bytes. Fetch ${trackingNumber} from the carrier.`;
    return { content: null, lack: { code: "content_too_large", message } };
  }
  if (bytes.length > 0) return { content: bytes, lack: null };
  const message = `The carrier sent nothing to print. Fetch ${trackingNumber} from the carrier.`;
  return { content: null, lack: { code: "content_missing", message } };
}

async function prepare(ctx: Ctx, label: ShipmentLabel, sold: Label): Promise<PreparedParcel> {
  const { trackingNumber, service, costCents } = sold;
  // Undoing a run may have deleted it meanwhile; the parcel is paid for all the same.
  const [order] = label.orderId === null ? [] : await readOrders(ctx.db, ctx.orgId, [label.orderId]);
  return await prepareParcel(ctx, {
    ...(order ? { orderId: order.id } : {}),
    carrier: label.carrier,
    service,
    trackingNumber,
    origin: label.from,
    destination: label.to,
    weight: label.weight,
    ...(costCents === null ? {} : { cost: costCents / 100 }),
    metadata: { labelId: label.id },
  });
}
