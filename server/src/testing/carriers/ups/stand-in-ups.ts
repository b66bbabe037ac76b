import { createTokens } from "../access-tokens.ts";
import type { CarrierReply, CarrierRequest, StandIn } from "../stand-in-api.ts";
import { startStandIn } from "../stand-in-api.ts";
import { trackAlert, upsAlerts } from "./stand-in-ups-alerts.ts";
import { upsShipping } from "./stand-in-ups-labels.ts";
import { upsAddresses, upsPickups } from "./stand-in-ups-pickups.ts";
import { upsRating } from "./stand-in-ups-rates.ts";
import { refuse } from "./stand-in-ups-replies.ts";
import type { UpsScan } from "./stand-in-ups-tracking.ts";
import { upsTracking } from "./stand-in-ups-tracking.ts";

/*
 * Behaves as the REST API of UPS does (version 2409; older versions in the path answer one object instead of a list of one).
 * UPS has no idempotency keys: a second purchase buys again, and a lost one is found by label recovery with a reference.
 *
 * Published documents do not list all codes: 120540, 121950, 190104, 9500518 and those of pickups but 9560131 are ours.
 *
 * Operations: token, rate, buy, void, recover, track, track_reference, subscribe, pickup, pickup_cancel, pickup_pending, address.
 *
 * | fault                   | operation  | effect                                                                     |
 * | ----------------------- | ---------- | -------------------------------------------------------------------------- |
 * | wrong_key               | token      | 401 with 10401, as for a client id that does not exist                     |
 * | expired_token           | any other  | 401 with 251004, though the token was issued a moment ago                  |
 * | negotiated_missing      | rate, buy  | only the published price, though the negotiated one was asked for          |
 * | partial_rates           | rate       | one service instead of all                                                 |
 * | duplicate_rate          | rate       | the first service twice                                                    |
 * | single_object           | rate, buy, address | a list of one as the one object                                    |
 * | recovery_late           | recover    | the label that was just bought is not found yet                            |
 * | recovery_gif            | recover    | GIF whatever was asked for, as with COD shipments                          |
 * | void_refused            | void       | 190102: the void period is over                                            |
 * | unknown_status          | track      | a status type that is in no document                                       |
 * | events_without_zone     | track      | local date and time only                                                   |
 * | gmt_time_without_colons | track      | gmtTime as 74700 instead of 07:47:00                                       |
 * | tracking_number_reused  | track      | an old package with the same number before the new one                     |
 * | not_found_404           | track      | 404 with TW0001; without the fault, TW0001 is a warning inside a 200       |
 */

export type UpsStandIn = StandIn & {
  clientId: string;
  clientSecret: string;
  accountNumber: string;
  /** Records what happened to a package. Fails for packages that were not sold here. */
  scan(trackingNumber: string, scan: UpsScan): void;
  /** Sends the latest activity to a receiver of Track Alert events; undefined when no subscription wants it. */
  pushTo(url: string, trackingNumber: string, credential: string): Promise<Response | undefined>;
  /** Sets what became of a pickup: 002 dispatched, 003 completed, 004 unsuccessful. */
  setPickupStatus(prn: string, code: string): void;
  expireTokens(): void;
};

export async function startUps({
  journalFile,
  port,
  now = () => new Date(),
}: { journalFile?: string; port?: number; now?: () => Date } = {}): Promise<UpsStandIn> {
  const [clientId, clientSecret, accountNumber] = ["ups-client", "ups-secret", "A1B2C3"];
  const tokens = createTokens("ups", 14_399);
  const today = (): string => now().toISOString().slice(0, 10);

  function issueToken(request: CarrierRequest, standIn: StandIn): CarrierReply {
    const form = new URLSearchParams(request.body.toString("utf8"));
    if (!String(request.headers["content-type"]).startsWith("application/x-www-form-urlencoded")) {
      return refuse(400, "10007", "Requested Content Type is not supported");
    }
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (!basic) return refuse(401, "10400", "Invalid/Missing Authorization Header");
    const [id, secret] = Buffer.from(basic, "base64").toString("utf8").split(":");
    if (id !== clientId || secret !== clientSecret || standIn.takeFault("wrong_key", "token")) {
      return refuse(401, "10401", "ClientId is Invalid");
    }
    if (form.get("grant_type") !== "client_credentials") return refuse(400, "10400", "Invalid/Missing Grant Type");
    return {
      status: 200,
      body: {
        token_type: "Bearer",
        issued_at: String(Date.now()),
        client_id: clientId,
        access_token: tokens.issue(clientId),
        scope: "",
        expires_in: "14399",
        refresh_count: "0",
        status: "approved",
      },
    };
  }

  const standIn = await startStandIn(
    {
      operations: [
        {
          name: "token",
          method: "POST",
          path: /^\/security\/v1\/oauth\/token$/,
          answer: (request, _match, running) => issueToken(request, running),
        },
        ...upsRating(accountNumber, today),
        ...upsShipping(accountNumber, now),
        ...upsTracking(now),
        ...upsAlerts(accountNumber, now),
        ...upsPickups(accountNumber, today),
        ...upsAddresses(),
      ],
      notFound: () => refuse(404, "404", "The requested resource was not found."),
      rateLimited: () => refuse(429, "10429", "Too Many Requests"),
      broken: () => refuse(500, "10004", "Something went wrong while processing your request, please try again later"),
      authorize(request, operation, running) {
        if (operation.name === "token") return undefined;
        const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
        if (running.takeFault("expired_token", operation.name))
          return refuse(401, "251004", "Bearer Token expired (oauth)");
        if (tokens.clientOf(bearer) !== clientId) return refuse(401, "250002", "Invalid Authentication Information.");
        return undefined;
      },
    },
    { journalFile, ...(port !== undefined && { port }) },
  );

  return Object.assign(standIn, {
    clientId,
    clientSecret,
    accountNumber,
    scan(trackingNumber: string, scan: UpsScan): void {
      const isSold = standIn.journal("buy").some((sale) => (sale.trackingNumbers as string[]).includes(trackingNumber));
      if (!isSold) throw new Error(`${trackingNumber} was not sold by this stand-in.`);
      standIn.record({ kind: "scan", trackingNumber, ...scan });
    },
    async pushTo(url: string, trackingNumber: string, credential: string): Promise<Response | undefined> {
      const event = trackAlert(standIn, trackingNumber, now());
      if (!event) return undefined;
      return fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "UPSPubSubTrackingService",
          "x-api-key": clientId,
          credential,
          authorization: `Bearer ${credential}`,
        },
        body: JSON.stringify(event),
      });
    },
    setPickupStatus: (prn: string, code: string): void => standIn.record({ kind: "pickup_status", prn, code }),
    expireTokens: () => tokens.expireAll(),
  });
}
