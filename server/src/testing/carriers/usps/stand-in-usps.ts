import { createTokens } from "../access-tokens.ts";
import { check } from "../request-rules.ts";
import type { CarrierReply, CarrierRequest, StandIn } from "../stand-in-api.ts";
import { startStandIn } from "../stand-in-api.ts";
import { uspsLabels } from "./stand-in-usps-labels.ts";
import { uspsPickups, uspsScanForms } from "./stand-in-usps-pickups.ts";
import { uspsPrices } from "./stand-in-usps-prices.ts";
import { apiOf, readBody, refuse } from "./stand-in-usps-replies.ts";
import { PaymentBody, TokenBody } from "./stand-in-usps-requests.ts";
import type { UspsScan } from "./stand-in-usps-tracking.ts";
import { uspsAddresses, uspsTracking } from "./stand-in-usps-tracking.ts";

/*
 * Behaves as version 3 of the USPS API does. A label under the same idempotency key and with the same request is the same label;
 * without a key, a second request buys again. Labels need a payment token beside the access token. Every call counts against a
 * quota, also the one for a token.
 *
 * Published documents list few texts of errors: most of those of pickups, reprints and SCAN forms are ours.
 *
 * Operations: token, payment, rate, buy, void, reprint, track, pickup_eligibility, pickup, pickup_read, pickup_change, pickup_cancel,
 * manifest, address.
 *
 * | fault                  | operation | effect                                                                         |
 * | ---------------------- | --------- | ------------------------------------------------------------------------------ |
 * | wrong_key              | token     | 401 in the form of RFC 6749                                                    |
 * | expired_token          | any other | 401, though the token was issued a moment ago                                  |
 * | payment_expired        | buy, void, reprint | 401: the payment token is not valid any more                          |
 * | not_entitled           | any other | 403: the app has no access to this API                                         |
 * | numbers_as_text        | token     | issued_at and expires_in as text                                               |
 * | insufficient_funds     | buy       | 400: the payment account is empty                                              |
 * | negotiated_missing     | rate      | the published price with warning 001 instead of the contract's                 |
 * | partial_rates          | rate      | one row or mail class instead of all                                           |
 * | duplicate_rates        | rate      | every mail class comes twice                                                   |
 * | one_object             | rate, track | one object instead of a list: of the only mail class, of the latest event    |
 * | duplicate_events       | track     | each event twice                                                               |
 * | bare_newlines          | buy       | parts end with a line feed alone                                               |
 * | label_missing          | buy       | the part with the label is not there                                           |
 * | refund_refused         | void      | no refund request can be submitted                                             |
 * | old_part_names         | manifest  | "Scan Form Response" and "label" instead of the names in the document          |
 * | track_late             | track     | 404: no status update yet                                                      |
 * | unknown_status         | track     | a status category that is in no document                                       |
 * | events_without_zone    | track     | local times only                                                               |
 * | tracking_number_reused | track     | events of a package of the year before at the end of the list                  |
 */

export type UspsStandIn = StandIn & {
  clientId: string;
  clientSecret: string;
  /** What a payment authorization needs. */
  crid: string;
  mid: string;
  accountNumber: string;
  /** Records what happened to a package. Fails for packages that were not sold here. */
  scan(trackingNumber: string, scan: UspsScan): void;
  expireTokens(): void;
  expirePayments(): void;
};

export async function startUsps({
  journalFile,
  port,
  now = () => new Date(),
  callsPerHour = 60,
}: {
  journalFile?: string;
  port?: number;
  now?: () => Date;
  /** The quota of an app that has asked for no other. */
  callsPerHour?: number;
} = {}): Promise<UspsStandIn> {
  const [clientId, clientSecret, crid, mid, accountNumber] = [
    "usps-client",
    "usps-secret",
    "12345678",
    "903123456",
    "1000000001",
  ];
  const tokens = createTokens("usps", 28_799);
  const payments = createTokens("usps-payment", 3600);
  const calls: number[] = [];

  /** Seconds until a call is free again; undefined when one is. */
  function waitSeconds(): number | undefined {
    const time = now().getTime();
    while (calls.length > 0 && calls[0]! <= time - 3_600_000) calls.shift();
    if (calls.length < callsPerHour) {
      calls.push(time);
      return undefined;
    }
    return Math.max(1, Math.ceil((calls[0]! + 3_600_000 - time) / 1000));
  }

  function issueToken(request: CarrierRequest, standIn: StandIn): CarrierReply {
    const error = (status: number, code: string, description: string): CarrierReply => ({
      status,
      body: {
        error: code,
        error_description: description,
        error_uri: "https://datatracker.ietf.org/doc/html/rfc6749#page-45",
      },
    });
    const isForm = String(request.headers["content-type"]).startsWith("application/x-www-form-urlencoded");
    let given: unknown;
    try {
      given = isForm ? Object.fromEntries(new URLSearchParams(request.body.toString("utf8"))) : request.json();
    } catch {
      return error(400, "invalid_request", "The request body is not valid.");
    }
    const { value: body } = check(TokenBody, given);
    if (!body) return error(400, "invalid_request", "grant_type, client_id and client_secret are required.");
    if (body.grant_type !== "client_credentials")
      return error(400, "unsupported_grant_type", "The grant type is not supported.");
    if (body.client_id !== clientId || body.client_secret !== clientSecret || standIn.takeFault("wrong_key", "token")) {
      return error(401, "invalid_client", "Client authentication failed.");
    }
    const [issuedAt, expiresIn] = [Date.now(), 28_799];
    const asText = standIn.takeFault("numbers_as_text", "token");
    return {
      status: 200,
      body: {
        access_token: tokens.issue(clientId),
        token_type: "Bearer",
        issued_at: asText ? String(issuedAt) : issuedAt,
        expires_in: asText ? String(expiresIn) : expiresIn,
        status: "approved",
        scope: body.scope ?? "addresses prices labels payments tracking pickup scan-forms shipments",
        client_id: clientId,
        refresh_count: "0",
      },
    };
  }

  function authorizePayment(request: CarrierRequest): CarrierReply {
    const { body, refused } = readBody(request, PaymentBody);
    if (!body) return refused;
    const roles = new Map(body.roles.map((role) => [role.roleName, role]));
    const [payer, owner] = [roles.get("PAYER"), roles.get("LABEL_OWNER")];
    if (!payer || !owner) return refuse(400, apiOf(request), "The roles PAYER and LABEL_OWNER are required.", "roles");
    if (payer.CRID !== crid || owner.CRID !== crid || owner.MID !== mid) {
      return refuse(400, apiOf(request), "The CRID or the MID of a role is not valid.", "roles.CRID");
    }
    if (payer.accountType !== "EPS" || payer.accountNumber !== accountNumber) {
      return refuse(400, apiOf(request), "The account of the PAYER is not valid.", "roles.accountNumber");
    }
    const rateHolder = { roleName: "RATE_HOLDER", CRID: crid, accountType: "EPS", accountNumber };
    const allRoles = roles.has("RATE_HOLDER") ? body.roles : [...body.roles, rateHolder];
    return { status: 200, body: { paymentAuthorizationToken: payments.issue(crid), roles: allRoles } };
  }

  const findPaymentProblem = (request: CarrierRequest, operation: string): CarrierReply | undefined => {
    const token = request.headers["x-payment-authorization-token"];
    const parameter = "X-Payment-Authorization-Token";
    if (!token) return refuse(400, apiOf(request), "The header is required.", parameter);
    const isValid = typeof token === "string" && payments.clientOf(token) === crid;
    if (isValid && !standIn.takeFault("payment_expired", operation)) return undefined;
    return refuse(401, apiOf(request), "The payment authorization token is invalid or has expired.", parameter);
  };

  const standIn: StandIn = await startStandIn(
    {
      operations: [
        {
          name: "token",
          method: "POST",
          path: /^\/oauth2\/v3\/token$/,
          answer: (request, _match, running) => issueToken(request, running),
        },
        { name: "payment", method: "POST", path: /^\/payments\/v3\/payment-authorization$/, answer: authorizePayment },
        ...uspsPrices(accountNumber, () => now().toISOString().slice(0, 10)),
        ...uspsLabels(now, findPaymentProblem),
        ...uspsTracking(),
        ...uspsPickups(now),
        ...uspsScanForms(now),
        ...uspsAddresses(),
      ],
      notFound: (request) => refuse(404, apiOf(request), "The resource was not found."),
      rateLimited: () =>
        refuse(429, "/", "Too many requests have been received from the client in a short amount of time."),
      broken: () => refuse(503, "/", "The service is unavailable."),
      authorize(request, operation, running) {
        const wait = waitSeconds();
        if (wait !== undefined) {
          const limited = refuse(429, apiOf(request), "The quota of calls an hour is used up.");
          return { ...limited, headers: { "retry-after": String(wait) } };
        }
        if (operation.name === "token") return undefined;
        const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
        if (tokens.clientOf(bearer) !== clientId || running.takeFault("expired_token", operation.name)) {
          const denied = refuse(401, apiOf(request), "The access token is invalid or has expired.", "Authorization");
          return { ...denied, headers: { "www-authenticate": 'Bearer realm="USPS"' } };
        }
        if (running.takeFault("not_entitled", operation.name)) {
          return refuse(403, apiOf(request), "Insufficient OAuth scope: the app has no access to this API.");
        }
        return undefined;
      },
    },
    { journalFile, ...(port !== undefined && { port }) },
  );

  return Object.assign(standIn, {
    clientId,
    clientSecret,
    crid,
    mid,
    accountNumber,
    scan(trackingNumber: string, scan: UspsScan): void {
      const isSold = standIn.journal("buy").some((sale) => sale.trackingNumber === trackingNumber);
      if (!isSold) throw new Error(`${trackingNumber} was not sold by this stand-in.`);
      standIn.record({ kind: "scan", trackingNumber, ...scan });
    },
    expireTokens: () => tokens.expireAll(),
    expirePayments: () => payments.expireAll(),
  });
}
