import { newId } from "../journaled-records.ts";
import { accountOperations, addressOperations } from "./stand-in-easypost-files.ts";
import type { Mode, Tracker } from "./stand-in-easypost-objects.ts";
import { fail, notFound, withFloats } from "./stand-in-easypost-answers.ts";
import { stamp } from "./stand-in-easypost-objects.ts";
import { orderOperations } from "./stand-in-easypost-orders.ts";
import { pickupOperations } from "./stand-in-easypost-pickups.ts";
import { carrierAccounts } from "./stand-in-easypost-rates.ts";
import { shipmentOperations } from "./stand-in-easypost-shipments.ts";
import type { EasypostScan } from "./stand-in-easypost-tracking.ts";
import { scanTracker, shownTracker, trackingOperations } from "./stand-in-easypost-tracking.ts";
import { deliver, eventBody, signatureOf, webhookOperations } from "./stand-in-easypost-webhooks.ts";
import { keyOf, newWorld } from "./stand-in-easypost-world.ts";
import { postWebhook } from "../post-webhook.ts";
import type { CarrierApi, Operation, StandIn } from "../stand-in-api.ts";
import { startStandIn } from "../stand-in-api.ts";

/*
 * Faults beside those of the connection:
 *
 * | fault                  | operation     | effect                                                                                  |
 * | ---------------------- | ------------- | --------------------------------------------------------------------------------------- |
 * | partial_rates          | rate          | UPS did not answer: its rates are missing, with an entry in `messages`                  |
 * | no_rates               | rate          | 201 without any rate, the errors are in `messages`                                      |
 * | list_price_missing     | rate          | `list_rate` and `retail_rate` are null                                                  |
 * | prices_raised          | rate          | every service costs a dollar more                                                       |
 * | duplicate_rates        | rate          | every service comes twice, under different ids                                          |
 * | unknown_fields         | any           | fields that no document describes                                                       |
 * | forbidden              | any           | 403: the key may not do this                                                            |
 * | purchase_in_progress   | buy           | SHIPMENT.PURCHASE.IN_PROGRESS, nothing is bought                                        |
 * | postage_failure        | buy           | SHIPMENT.POSTAGE.FAILURE, nothing is bought                                             |
 * | stale_rate             | buy           | the rate is too old: SHIPMENT.POSTAGE.FAILURE until the shipment is rated again         |
 * | errors_as_strings      | buy           | the entries of `errors` are texts                                                       |
 * | payment_required       | buy           | 402, nothing is bought                                                                  |
 * | timed_out_before/after | buy           | SHIPMENT.POSTAGE.TIMED_OUT, nothing is bought / the label is bought                     |
 * | no_response_before/after | buy         | SHIPMENT.POSTAGE.NO_RESPONSE, likewise                                                  |
 * | second_piece_refused   | buy_order     | SHIPMENT.POSTAGE.FAILURE, the first parcel is bought                                    |
 * | tracking_number_reused | buy           | the label gets the tracking code of an earlier one                                      |
 * | refund_rejected        | void          | 200 with `refund_status` rejected; it may be asked for again                            |
 * | one_object             | void_many     | one refund instead of a list                                                            |
 * | label_unavailable      | label_file    | the file store answers 403                                                              |
 * | pickup_refused         | buy_pickup    | PICKUP.BUY.FAILED                                                                       |
 * | pickup_dispatched      | cancel_pickup | PICKUP.CANCEL.FAILED                                                                    |
 * | unknown_status         | scan          | a tracking status that no document names                                                |
 * | events_without_zone    | scan          | `datetime` without a zone                                                               |
 * | local_time_as_utc      | scan          | no place, and `datetime` is local time with a Z                                         |
 * | duplicate_event        | webhook       | every webhook gets the event twice                                                      |
 *
 * Not confirmed by a recorded exchange: the status 422 of purchase errors, 401 and 403 bodies, and the fields of ShipmentInvoice.
 */

type Adjustment = { amount: string; reason: string; billedOunces: number };

export type Easypost = StandIn & {
  testKey: string;
  productionKey: string;
  carrierAccountIds: { usps: string; ups: string };
  /** A key that was deleted in the dashboard stops working. */
  deactivateKey(key: string): void;
  /** Adds an event to the newest tracker of the code. The webhooks get tracker.updated; returns their statuses. */
  scan(trackingCode: string, scan: EasypostScan): Promise<number[]>;
  /** Ends a submitted refund. The webhooks get refund.successful if it was paid. */
  settleRefund(trackingCode: string, status: "refunded" | "rejected"): Promise<number[]>;
  /** The carrier billed another price after the scan: shipment.invoice.created, with the same id again shipment.invoice.updated. */
  adjust(
    trackingCode: string,
    adjustment: Adjustment,
    invoiceId?: string,
  ): Promise<{ invoiceId: string; statuses: number[] }>;
  /** EasyPost disables a webhook whose receiver keeps failing. */
  disableWebhook(id: string): void;
  /** The body of a tracker event as text, with the floats that break a signature when they are serialized again. */
  trackerEvent(tracker: Tracker): string;
  /** Sends any body to any address with the signature of this secret. */
  sendSigned(url: string, body: string, secret: string): Promise<number>;
};

export async function startEasypost({
  journalFile,
  port,
  now = () => new Date(),
}: { journalFile?: string; port?: number; now?: () => Date } = {}): Promise<Easypost> {
  const testKey = "EZTKstandin0000000000000000000000000000000000000000000";
  const productionKey = "EZAKstandin0000000000000000000000000000000000000000000";
  const world = newWorld(
    new Map([
      [testKey, "test" as Mode],
      [productionKey, "production" as Mode],
    ]),
    now,
  );
  const inactive = new Set<string>();
  const operations = [
    ...shipmentOperations(world),
    ...orderOperations(world),
    ...accountOperations(world),
    ...addressOperations(world),
    ...trackingOperations(world),
    ...webhookOperations(world),
    ...pickupOperations(world),
  ].map(inEasypostJson);
  const api: CarrierApi = {
    operations,
    notFound,
    rateLimited: () => fail(429, "RATE_LIMITED", "You are exceeding the rate limit. Please slow down."),
    broken: () => fail(500, "INTERNAL_SERVER_ERROR", "We are sorry, but something went wrong."),
    authorize(request, { name }) {
      if (name === "label_file") return undefined;
      if (standIn.takeFault("forbidden", name))
        return fail(403, "FORBIDDEN", "The api key is not authorized for this request.");
      const key = keyOf(request);
      if (key !== undefined && inactive.has(key)) {
        return fail(
          401,
          "UNAUTHORIZED",
          "This api key is no longer active. Please use a different api key or reactivate this key.",
        );
      }
      return key !== undefined && world.keys.has(key)
        ? undefined
        : fail(401, "UNAUTHORIZED", "The api key is not valid.");
    },
  };
  const standIn = await startStandIn(api, { journalFile, ...(port !== undefined && { port }) });
  const { addresses, shipments, orders, trackers, pickups, batches, webhooks } = world;
  for (const table of [addresses, shipments, orders, trackers, pickups, batches, webhooks]) table.restore(standIn);

  const soldWith = (trackingCode: string) => {
    const shipment = shipments.newest((one) => one.tracking_code === trackingCode);
    if (!shipment) throw new Error(`No label was sold with ${trackingCode}.`);
    return shipment;
  };
  const send = (mode: Mode, description: string, result: object, previousAttributes: Record<string, unknown> = {}) =>
    deliver(world, standIn, mode, eventBody(world, { description, mode, previousAttributes, result }));

  return {
    ...standIn,
    testKey,
    productionKey,
    carrierAccountIds: { usps: carrierAccounts[0].id, ups: carrierAccounts[1].id },
    deactivateKey: (key) => void inactive.add(key),
    async scan(trackingCode, scan) {
      const before = trackers.newest((one) => one.tracking_code === trackingCode);
      const tracker = scanTracker(world, standIn, trackingCode, scan);
      return send(tracker.mode, "tracker.updated", shownTracker(tracker), { status: before?.status });
    },
    async settleRefund(trackingCode, status) {
      const shipment = soldWith(trackingCode);
      const settled = { ...shipment, refund_status: status, updated_at: stamp(now()) };
      shipments.save(standIn, "refund_settled", settled, { trackingNumber: trackingCode, status });
      if (status === "rejected") return [];
      const time = stamp(now());
      const refund = {
        id: newId("rfnd_"),
        object: "Refund",
        created_at: time,
        updated_at: time,
        tracking_code: trackingCode,
        confirmation_number: null,
        status,
        carrier: shipment.selected_rate?.carrier,
        shipment_id: shipment.id,
      };
      return send(shipment.mode, "refund.successful", refund);
    },
    async adjust(trackingCode, { amount, reason, billedOunces }, invoiceId) {
      const { id, mode, parcel } = soldWith(trackingCode);
      const invoice = {
        id: invoiceId ?? newId("si_"),
        object: "ShipmentInvoice",
        shipment_id: id,
        adjustment_amount: amount,
        adjustment_reason: reason,
        claimed_details: { declared_weight_oz: parcel.weight, billed_weight_oz: billedOunces },
        mode,
      };
      standIn.record({ kind: "adjustment", trackingNumber: trackingCode, invoice });
      const statuses = await send(mode, invoiceId ? "shipment.invoice.updated" : "shipment.invoice.created", invoice);
      return { invoiceId: invoice.id, statuses };
    },
    disableWebhook(id) {
      const hook = webhooks.find(id);
      if (!hook) throw new Error(`There is no webhook ${id}.`);
      webhooks.save(standIn, "webhook_disabled", { ...hook, disabled_at: stamp(now()) }, { id });
    },
    trackerEvent: (tracker) =>
      eventBody(world, { description: "tracker.updated", mode: tracker.mode, result: shownTracker(tracker) }),
    sendSigned: (url, body, secret) => postWebhook(url, { "x-hmac-signature": signatureOf(secret, body) }, body),
  };
}

/** Bodies that are not JSON are refused, answers are written as EasyPost writes them. */
function inEasypostJson(operation: Operation): Operation {
  return {
    ...operation,
    async answer(request, match, standIn) {
      const wantsJson = request.method === "POST" || request.method === "PATCH";
      if (wantsJson && request.body.length > 0 && !isJson(request.body.toString("utf8"))) {
        return fail(400, "BAD_REQUEST", "The body is not valid JSON.");
      }
      const json = wantsJson && request.body.length === 0 ? () => ({}) : request.json;
      const reply = await operation.answer({ ...request, json }, match, standIn);
      if (typeof reply.body === "string" || Buffer.isBuffer(reply.body)) return reply;
      const extra = standIn.takeFault("unknown_fields", operation.name)
        ? { brand_new_field: { weight: 1 }, other_new_field: null }
        : {};
      const body = Array.isArray(reply.body) ? reply.body : { ...(reply.body as object), ...extra };
      const headers = {
        "content-type": "application/json; charset=utf-8",
        "x-ep-request-uuid": newId(""),
        "x-runtime": "0.010000",
        ...reply.headers,
      };
      return { ...reply, headers, body: withFloats(body) };
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
