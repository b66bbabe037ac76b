import { newId } from "../journaled-records.ts";
import { checkLogin, checkRefresh } from "./stand-in-karrio-bodies.ts";
import { pickupOperations } from "./stand-in-karrio-pickups.ts";
import { karrioConnections } from "./stand-in-karrio-rates.ts";
import { shipmentOperations } from "./stand-in-karrio-shipments.ts";
import type { KarrioScan } from "./stand-in-karrio-tracking.ts";
import { deliver, scanTracker, shownTracker, trackingOperations } from "./stand-in-karrio-tracking.ts";
import { fail, newWorld, page, refuse } from "./stand-in-karrio-world.ts";
import type { CarrierApi, CarrierRequest, Operation, StandIn } from "../stand-in-api.ts";
import { startStandIn } from "../stand-in-api.ts";

/*
 * Faults beside those of the connection:
 *
 * | fault                          | operation     | effect                                                                       |
 * | ------------------------------ | ------------- | ---------------------------------------------------------------------------- |
 * | partial_rates                  | rate          | UPS did not answer: 207 with a message beside the rates (201 for a draft)    |
 * | no_rates                       | rate          | 424 with messages                                                            |
 * | negotiated_price_missing       | rate          | published prices without a discount line                                     |
 * | duplicate_rates                | rate          | every service comes twice, under different ids                               |
 * | one_object                     | rate, track   | one object instead of a list: of the first rate, of the latest event         |
 * | unknown_fields                 | any           | fields that no document describes                                            |
 * | forbidden                      | any           | 403: the user of the key may not do this                                     |
 * | carrier_refused                | buy           | 424 with the message of the carrier, nothing is bought                       |
 * | carrier_timed_out_before/after | buy           | the same 424, nothing is bought / the label is bought                        |
 * | warning_beside_label           | buy           | 200, the label is bought, and there is a message                             |
 * | tracking_number_reused         | buy           | the label gets the tracking number of an earlier one                         |
 * | one_tracking_number            | buy           | several parcels get one number, as with some carriers                        |
 * | void_refused                   | void          | 424 with the message of the carrier                                          |
 * | pickup_refused                 | book_pickup   | 424                                                                          |
 * | pickup_dispatched              | cancel_pickup | 424                                                                          |
 * | manifest_refused               | manifest      | 424                                                                          |
 * | unknown_status                 | scan          | a tracking status that no document names                                     |
 * | duplicate_event                | webhook       | every webhook gets the event twice                                           |
 *
 * Events of trackers have a date and a time without a zone; that is no fault. The rates of drafts take the faults of `rate` too.
 * The answer to a purchase holds the label, later answers only its address. A repeated purchase is 409, a repeated cancel 202.
 * Not confirmed by the document or the sources of karrio: the answer to a rate id of another shipment (400 here).
 */

export type Karrio = StandIn & {
  apiKey: string;
  testKey: string;
  login: { email: string; password: string };
  connectionIds: { usps: string; ups: string };
  deactivateKey(key: string): void;
  /** Access tokens of sign-ins live for minutes; this ends them. Refresh tokens go on. */
  expireAccessTokens(): void;
  /** Adds an event to the newest tracker of the number. The webhooks get tracker_updated; returns their statuses. */
  scan(trackingNumber: string, scan: KarrioScan): Promise<number[]>;
};

export async function startKarrio({
  journalFile,
  port,
  now = () => new Date(),
}: { journalFile?: string; port?: number; now?: () => Date } = {}): Promise<Karrio> {
  const [apiKey, testKey] = ["key_standin00000000000000000000000", "key_test_standin000000000000000"];
  const login = { email: "admin@example.com", password: "demo" };
  const active = new Set([apiKey, testKey]);
  const accessTokens = new Set<string>();
  const refreshTokens = new Set<string>();
  const world = newWorld(now);

  /** Keys never end, access tokens do. */
  const isKnown = ({ headers }: CarrierRequest): boolean => {
    const [scheme, token = ""] = (headers.authorization ?? "").split(" ");
    if (scheme === "Token") return active.has(token);
    return scheme === "Bearer" && accessTokens.has(token);
  };
  const isTest = ({ headers }: CarrierRequest): boolean => headers.authorization === `Token ${testKey}`;
  const newTokens = () => {
    const [access, refresh] = [newId("eyJ"), newId("eyJ")];
    accessTokens.add(access);
    refreshTokens.add(refresh);
    return { access, refresh };
  };
  const accountOperations: Operation[] = [
    {
      name: "login",
      method: "POST",
      path: /^\/api\/token$/,
      answer(request) {
        const { value, problems } = checkLogin(request.json());
        if (problems) return refuse(problems);
        const isRight = value.email === login.email && value.password === login.password;
        return isRight
          ? { status: 201, body: newTokens() }
          : fail(401, "no_active_account", "No active account found with the given credentials");
      },
    },
    {
      name: "login",
      method: "POST",
      path: /^\/api\/token\/refresh$/,
      answer(request) {
        const { value, problems } = checkRefresh(request.json());
        if (problems) return refuse(problems);
        return refreshTokens.has(value.refresh)
          ? { status: 201, body: newTokens() }
          : fail(401, "token_not_valid", "Token is invalid or expired");
      },
    },
    {
      name: "account",
      method: "GET",
      path: /^\/v1\/connections$/,
      answer: (request) =>
        page(
          karrioConnections.map(({ id, name }) => ({
            id: `car_${id}`,
            object_type: "carrier-connection",
            carrier_name: name,
            display_name: name.toUpperCase(),
            carrier_id: id,
            capabilities: ["rating", "shipping", "tracking", "pickup", "manifest"],
            config: {},
            metadata: {},
            is_system: false,
            active: true,
            test_mode: isTest(request),
          })),
        ),
    },
  ];
  const api: CarrierApi = {
    operations: [
      ...shipmentOperations(world, isTest),
      ...trackingOperations(world, isTest),
      ...pickupOperations(world, isTest),
      ...accountOperations,
    ].map(inKarrioJson),
    notFound: () => fail(404, "not_found", "Not found."),
    rateLimited: () => fail(429, "throttled", "Request was throttled. Expected available in 1 second."),
    broken: () => fail(500, "error", "Internal server error"),
    authorize(request, { name, method, path }) {
      if (standIn.takeFault("forbidden", name))
        return fail(403, "permission_denied", "You do not have permission to perform this action.");
      // Trackers are public: a recipient may look at one.
      const isPublic = name === "login" || (name === "track" && method === "GET" && path.test("/v1/trackers/any"));
      if (isPublic || isKnown(request)) return undefined;
      if (request.headers.authorization === undefined) {
        return fail(401, "not_authenticated", "Authentication credentials were not provided.");
      }
      return request.headers.authorization.startsWith("Bearer ")
        ? fail(401, "token_not_valid", "Given token not valid for any token type")
        : fail(401, "authentication_failed", "Invalid token.");
    },
  };
  const standIn = await startStandIn(api, { journalFile, ...(port !== undefined && { port }) });
  const { shipments, trackers, pickups, manifests, webhooks } = world;
  for (const table of [shipments, trackers, pickups, manifests, webhooks]) table.restore(standIn);

  return {
    ...standIn,
    apiKey,
    testKey,
    login,
    connectionIds: { usps: "usps-main", ups: "ups-main" },
    deactivateKey: (key) => void active.delete(key),
    expireAccessTokens: () => accessTokens.clear(),
    scan(trackingNumber, scan) {
      const tracker = scanTracker(world, standIn, trackingNumber, scan);
      return deliver(world, standIn, "tracker_updated", shownTracker(tracker), tracker.test_mode);
    },
  };
}

function inKarrioJson(operation: Operation): Operation {
  return {
    ...operation,
    async answer(request, match, standIn) {
      const isEmpty = request.body.length === 0;
      if (!isEmpty) {
        try {
          request.json();
        } catch {
          return fail(400, "parse_error", "JSON parse error");
        }
      }
      const reply = await operation.answer(isEmpty ? { ...request, json: () => ({}) } : request, match, standIn);
      const { body } = reply;
      if (typeof body !== "object" || body === null || Buffer.isBuffer(body)) return reply;
      if (!standIn.takeFault("unknown_fields", operation.name)) return reply;
      return { ...reply, body: { ...body, brand_new_field: { value: 1 }, other_new_field: null } };
    },
  };
}
