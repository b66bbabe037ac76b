import { createTokens } from "../access-tokens.ts";
import type { CarrierReply, CarrierRequest, StandIn } from "../stand-in-api.ts";
import { startStandIn } from "../stand-in-api.ts";
import { fedexShipping } from "./stand-in-fedex-labels.ts";
import { fedexOpenShip } from "./stand-in-fedex-open-ship.ts";
import { fedexAddresses, fedexEndOfDay, fedexPickups } from "./stand-in-fedex-pickups.ts";
import { fedexRating } from "./stand-in-fedex-rates.ts";
import { refuse } from "./stand-in-fedex-replies.ts";
import type { FedexScan } from "./stand-in-fedex-tracking.ts";
import { fedexTracking } from "./stand-in-fedex-tracking.ts";

/*
 * Behaves as the REST API of FedEx does. A purchase has no key and a second one buys again; an Open Ship shipment has the caller's
 * index, under which it is confirmed once. Tracking is another project with credentials of its own.
 *
 * Published documents list few error codes: those of Open Ship, of cancellation and most of pickups are ours.
 *
 * Operations: token, rate, buy (also the confirmation of an open shipment), results, open_create, open_retrieve, void, document,
 * track, track_reference, pickup_availability, pickup, pickup_cancel, address, manifest, manifest_reprint.
 *
 * | fault                  | operation       | effect                                                                      |
 * | ---------------------- | --------------- | --------------------------------------------------------------------------- |
 * | wrong_key              | token           | 401, as for credentials that do not exist                                   |
 * | expired_token          | any other       | 401, though the token was issued a moment ago                               |
 * | blocked                | any             | 403, as after too many requests from one address                            |
 * | negotiated_missing     | rate            | only the LIST price                                                         |
 * | partial_rates          | rate            | one service instead of all                                                  |
 * | single_object          | rate            | one service as an object instead of a list of one                           |
 * | float_noise            | rate            | sums as floats that were added up: 38.540000000000006                       |
 * | cancel_false_in_200    | void            | 200 with cancelledShipment false; also after a scan or the end of the day   |
 * | track_late             | track           | the number that was just sold is not found yet, as an error inside a 200    |
 * | reference_late         | track_reference | the reference is not found yet, as an error inside a 200                    |
 * | unknown_status         | track           | a status code that is in no document                                        |
 * | events_without_zone    | track           | dates of events without an offset                                           |
 * | tracking_number_reused | track           | the result of a shipment of the year before comes first                     |
 * | duplicate_answer       | track           | each result twice                                                           |
 * | attributes_as_text     | address         | "true" and "false" as text                                                  |
 */

export type FedexStandIn = StandIn & {
  /** Of the project for shipping, rates, pickups and addresses. */
  clientId: string;
  clientSecret: string;
  /** Of the project for tracking. */
  trackClientId: string;
  trackClientSecret: string;
  accountNumber: string;
  /** Records what happened to a package. Fails for packages that were not sold here. */
  scan(trackingNumber: string, scan: FedexScan): void;
  /** The courier has the pickup: it cannot be cancelled any more. */
  dispatchPickup(pickup: { code: string; date: string; carrierCode: string }): void;
  expireTokens(): void;
};

const trackOperations = ["track", "track_reference"];

export async function startFedex({
  journalFile,
  port,
  now = () => new Date(),
  repeatedConfirm = "refused",
}: {
  journalFile?: string;
  port?: number;
  now?: () => Date;
  repeatedConfirm?: "refused" | "same";
} = {}): Promise<FedexStandIn> {
  const accountNumber = "740561073";
  const clients: Record<string, string> = { "fedex-ship": "ship-secret", "fedex-track": "track-secret" };
  const tokens = createTokens("fedex", 3599);
  const today = (): string => now().toISOString().slice(0, 10);

  function issueToken(request: CarrierRequest, standIn: StandIn): CarrierReply {
    if (!String(request.headers["content-type"]).startsWith("application/x-www-form-urlencoded")) {
      return refuse(415, "UNSUPPORTED.MEDIA.TYPE", "The content type must be application/x-www-form-urlencoded.");
    }
    const form = new URLSearchParams(request.body.toString("utf8"));
    const [id, secret] = [form.get("client_id") ?? "", form.get("client_secret")];
    if (!Object.hasOwn(clients, id) || clients[id] !== secret || standIn.takeFault("wrong_key", "token")) {
      const message = "The given client credentials were not valid. Please modify your request and try again.";
      return refuse(401, "NOT.AUTHORIZED.ERROR", message);
    }
    if (form.get("grant_type") !== "client_credentials") {
      return refuse(
        400,
        "BAD.REQUEST.ERROR",
        "Missing or duplicate parameters. Please modify your request and try again.",
      );
    }
    const body = { access_token: tokens.issue(id), token_type: "bearer", expires_in: 3599, scope: "CXS-TP" };
    return { status: 200, body };
  }

  const standIn = await startStandIn(
    {
      operations: [
        {
          name: "token",
          method: "POST",
          path: /^\/oauth\/token$/,
          answer: (request, _match, running) => issueToken(request, running),
        },
        ...fedexRating(accountNumber, today),
        ...fedexShipping(accountNumber, now),
        ...fedexOpenShip(accountNumber, now, repeatedConfirm),
        ...fedexTracking(accountNumber),
        ...fedexPickups(accountNumber, today),
        ...fedexAddresses(),
        ...fedexEndOfDay(accountNumber, today),
      ],
      notFound: (request) =>
        refuse(
          404,
          "NOT.FOUND.ERROR",
          "The resource you requested is no longer available. Please modify your request and try again.",
          request,
        ),
      rateLimited: () => refuse(429, "TOO.MANY.REQUESTS", "Too many requests."),
      broken: () =>
        refuse(
          500,
          "INTERNAL.SERVER.ERROR",
          "We encountered an unexpected error and are working to resolve the issue.",
        ),
      authorize(request, operation, running) {
        if (operation.name === "document") return undefined;
        const forbidden = "We could not authorize your credentials. Please check your permissions and try again.";
        if (running.takeFault("blocked", operation.name)) return refuse(403, "FORBIDDEN.ERROR", forbidden, request);
        if (operation.name === "token") return undefined;
        const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
        const client = tokens.clientOf(bearer);
        if (!client || running.takeFault("expired_token", operation.name)) {
          const message = "Access token expired. Please modify your request and try again.";
          return refuse(401, "NOT.AUTHORIZED.ERROR", message, request);
        }
        const isTracking = trackOperations.includes(operation.name);
        if (isTracking !== (client === "fedex-track")) return refuse(403, "FORBIDDEN.ERROR", forbidden, request);
        return undefined;
      },
    },
    { journalFile, ...(port !== undefined && { port }) },
  );

  return Object.assign(standIn, {
    clientId: "fedex-ship",
    clientSecret: clients["fedex-ship"]!,
    trackClientId: "fedex-track",
    trackClientSecret: clients["fedex-track"]!,
    accountNumber,
    scan(trackingNumber: string, scan: FedexScan): void {
      const isSold = standIn.journal("buy").some((sale) => (sale.trackingNumbers as string[]).includes(trackingNumber));
      if (!isSold) throw new Error(`${trackingNumber} was not sold by this stand-in.`);
      standIn.record({ kind: "scan", trackingNumber, ...scan });
    },
    dispatchPickup: (pickup: { code: string; date: string; carrierCode: string }): void =>
      standIn.record({ kind: "pickup_dispatch", ...pickup }),
    expireTokens: () => tokens.expireAll(),
  });
}
