import { randomUUID } from "node:crypto";
import { accountOperations } from "./stand-in-shipengine-account.ts";
import { postWebhook } from "../post-webhook.ts";
import { labelOperations } from "./stand-in-shipengine-labels.ts";
import { pickupOperations } from "./stand-in-shipengine-pickups.ts";
import { rateOperations } from "./stand-in-shipengine-rates.ts";
import type { ShipengineScan } from "./stand-in-shipengine-tracking.ts";
import {
  deliver,
  newSigningKey,
  scanLabel,
  signedHeaders,
  trackingOf,
  trackingOperations,
} from "./stand-in-shipengine-tracking.ts";
import { errorBody, fail, newWorld } from "./stand-in-shipengine-world.ts";
import type { CarrierApi, Operation, StandIn } from "../stand-in-api.ts";
import { startStandIn } from "../stand-in-api.ts";

/*
 * Faults beside those of the connection:
 *
 * | fault                          | operation     | effect                                                                          |
 * | ------------------------------ | ------------- | ------------------------------------------------------------------------------- |
 * | partial_rates                  | rate          | UPS did not answer: 200, `status` partial, an entry in `errors`                 |
 * | no_rates                       | rate          | 200 without any rate, `status` error                                            |
 * | negotiated_price_missing       | rate          | published prices, `negotiated_rate` false                                       |
 * | duplicate_rates                | rate          | every rate comes twice                                                          |
 * | unknown_fields                 | any           | fields that no document describes                                               |
 * | forbidden                      | any           | 403: the key may not do this                                                    |
 * | carrier_refused                | buy           | 400 of the carrier with the code unspecified, nothing is bought                 |
 * | insufficient_funds             | buy           | 400, nothing is bought                                                          |
 * | carrier_timed_out_before/after | buy           | the same 400, nothing is bought / the label is bought                           |
 * | label_processing               | buy           | 200 without a file; it is there when the label is asked for again               |
 * | label_error                    | buy           | 200 with `status` error, nothing is bought                                      |
 * | tracking_number_reused         | buy           | the label gets the tracking number of an earlier one                            |
 * | void_refused                   | void          | 200 with `approved` false                                                       |
 * | pickup_refused                 | book_pickup   | 200 with `errors` and without a confirmation number                             |
 * | pickup_dispatched              | cancel_pickup | 200 with `errors`, the driver comes                                             |
 * | manifest_refused               | manifest      | 200 with `errors`                                                               |
 * | one_object                     | check_address | one result instead of a list                                                    |
 * | unknown_status                 | scan          | a status code that no document names                                            |
 * | blank_event_status             | scan          | the `status_code` of the event is empty                                         |
 * | events_without_zone            | scan          | `occurred_at` without a zone                                                    |
 * | duplicate_event                | webhook       | every webhook gets the event twice                                              |
 *
 * A label is bought once for each external_shipment_id; a purchase by rate, and one without that id, buys again.
 * Not confirmed by a recorded exchange: the body of 403, the status 400 of that conflict (the document names 400, 404 and 500 only), and that a shipment
 * which was only rated takes up its external_shipment_id.
 */

export type Shipengine = StandIn & {
  apiKey: string;
  testKey: string;
  carrierIds: { stampsCom: string; ups: string };
  deactivateKey(key: string): void;
  /** Adds an event to the newest label with this number. The track webhooks get it; returns their statuses. */
  scan(trackingNumber: string, scan: ShipengineScan): Promise<number[]>;
  /** Signs with a new key from now on; the published list holds both. */
  rotateSigningKey(): void;
  /** Sends any body to any address, signed for this moment. */
  sendSigned(url: string, body: string, at?: Date): Promise<number>;
};

export async function startShipengine({
  journalFile,
  port,
  now = () => new Date(),
}: { journalFile?: string; port?: number; now?: () => Date } = {}): Promise<Shipengine> {
  const apiKey = "standinShipEngineKey0000000000000000000000";
  const testKey = `TEST_${apiKey}`;
  const active = new Set([apiKey, testKey]);
  const world = newWorld(now);
  let keys = newSigningKey();
  const api: CarrierApi = {
    operations: [
      ...rateOperations(world),
      ...labelOperations(world),
      ...trackingOperations(world, () => keys),
      ...pickupOperations(world),
      ...accountOperations(),
    ].map(inShipengineJson),
    notFound({ method, url }) {
      const path = `${method} ${url.pathname}`;
      const message = `${path} is not a valid API endpoint.`;
      const error = { error_source: "shipengine", error_type: "security", error_code: "not_found", message };
      return { status: 404, body: { request_id: randomUUID(), errors: [error] } };
    },
    rateLimited: () => fail(429, { type: "system", code: "rate_limit_exceeded", message: "Too many requests." }),
    // As recorded: not the form of other errors.
    broken: () => ({
      status: 500,
      body: { request_id: randomUUID().replaceAll("-", ""), error: { message: "Something bad happened" } },
    }),
    authorize({ headers }, { name }) {
      if (name === "label_file" || name === "jwks") return undefined;
      if (standIn.takeFault("forbidden", name))
        return fail(403, { type: "security", code: "forbidden", message: "The API key may not use this request." });
      const key = headers["api-key"];
      if (typeof key === "string" && active.has(key)) return undefined;
      const message = key === undefined ? "The API key is required." : "The API key is invalid.";
      return fail(401, { type: "security", code: "unauthorized", message });
    },
  };
  const standIn = await startStandIn(api, { journalFile, ...(port !== undefined && { port }) });
  const { shipments, rates, labels, pickups, manifests, webhooks } = world;
  for (const table of [shipments, rates, labels, pickups, manifests, webhooks]) table.restore(standIn);

  return {
    ...standIn,
    apiKey,
    testKey,
    carrierIds: { stampsCom: "se-100001", ups: "se-100002" },
    deactivateKey: (key) => void active.delete(key),
    async scan(trackingNumber, scan) {
      const row = scanLabel(world, standIn, trackingNumber, scan);
      const { carrier_code } = row.label;
      const resource_url = `${standIn.url}/v1/tracking?carrier_code=${carrier_code}&tracking_number=${trackingNumber}`;
      const data = trackingOf(row, trackingNumber, carrier_code);
      return deliver(world, standIn, keys, "track", { resource_url, resource_type: "API_TRACK", data });
    },
    rotateSigningKey: () => void (keys = newSigningKey(keys.published)),
    sendSigned: (url, body, at = now()) => postWebhook(url, signedHeaders(keys, at.toISOString(), body), body),
  };
}

function inShipengineJson(operation: Operation): Operation {
  return {
    ...operation,
    async answer(request, match, standIn) {
      if (request.method === "POST" && !request.url.pathname.startsWith("/v1/tracking/")) {
        if (request.body.length === 0)
          return fail(400, { code: "request_body_required", message: "A request body is required." });
        try {
          request.json();
        } catch {
          return {
            status: 400,
            body: errorBody([{ code: "invalid_object", message: "The request body is not valid JSON." }]),
          };
        }
      }
      const reply = await operation.answer(request, match, standIn);
      const { body } = reply;
      if (typeof body !== "object" || body === null || Array.isArray(body) || Buffer.isBuffer(body)) return reply;
      if (!standIn.takeFault("unknown_fields", operation.name)) return reply;
      return { ...reply, body: { ...body, brand_new_field: { value: 1 }, other_new_field: null } };
    },
  };
}
