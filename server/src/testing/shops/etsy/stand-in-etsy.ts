import type { CarrierReply, CarrierRequest } from "../../carriers/stand-in-api.ts";
import { createRefreshEndpoint } from "../oauth2-tokens.ts";
import { bearerOf, runShop } from "../run-shop.ts";
import { etsyReceipts } from "./etsy-receipts.ts";

const shopId = "12345678";
const apiKey = "etsy-keystring:etsy-shared-secret";
const client = { id: "etsy-keystring", refreshToken: "12345678.refresh" };

/**
 * Receipts and their shipments of Etsy's Open API v3: every request carries the API key besides the access token, refresh tokens
 * are good for one use, and a shipment is sent as a form.
 */
export async function startEtsy() {
  const receipts = etsyReceipts();
  const tokens = createRefreshEndpoint({ ...client, auth: "body", rotates: true });
  const root = `/v3/application/shops/${shopId}/receipts`;

  const list = ({ url: { searchParams: query } }: CarrierRequest): CarrierReply => {
    const limit = Number(query.get("limit") ?? 25);
    const offset = Number(query.get("offset") ?? 0);
    if (limit > 100) return failure(400, "limit may not be greater than 100");
    const since = query.get("min_last_modified");
    if (since !== null && !(/^\d+$/.test(since) && Number(since) >= 946_684_800)) {
      return failure(400, "Invalid value for min_last_modified, must be at least 946684800");
    }
    const found = receipts
      .filter((one) => since === null || one.updated_timestamp >= Number(since))
      .toSorted((a, b) => a.receipt_id - b.receipt_id);
    return { status: 200, body: { count: found.length, results: found.slice(offset, offset + limit) } };
  };

  const find = (_request: CarrierRequest, [, id]: RegExpExecArray): CarrierReply => {
    const found = receipts.find((one) => one.receipt_id === Number(id));
    return found ? { status: 200, body: found } : failure(404, "Resource not found");
  };

  const ship = (request: CarrierRequest, [, id]: RegExpExecArray): CarrierReply => {
    const found = receipts.find((one) => one.receipt_id === Number(id));
    if (!found) return failure(404, "Resource not found");
    // A JSON body is not read: the receipt would be marked as shipped, without its number.
    const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
    const form = new URLSearchParams(isForm ? request.body.toString("utf8") : "");
    if (found.status === "Canceled") return failure(400, "Cannot add a shipment to a canceled receipt");
    const shipment = {
      receipt_shipping_id: 9000 + found.shipments.length,
      shipment_notification_timestamp: 1_772_700_000,
      carrier_name: form.get("carrier_name") ?? "",
      tracking_code: form.get("tracking_code") ?? "",
    };
    found.shipments.push(shipment);
    found.is_shipped = true;
    return { status: 200, body: found };
  };

  const standIn = await runShop({
    operations: [
      { name: "token", method: "POST", path: /^\/v3\/public\/oauth\/token$/, answer: tokens.answer },
      { name: "receipts", method: "GET", path: new RegExp(`^${root}$`), answer: list },
      { name: "receipt", method: "GET", path: new RegExp(`^${root}/(\\d+)$`), answer: find },
      { name: "ship", method: "POST", path: new RegExp(`^${root}/(\\d+)/tracking$`), answer: ship },
    ],
    notFound: () => failure(404, "Resource not found"),
    rateLimited: () => failure(429, "Exceeded the rate limit"),
    broken: () => failure(500, "Server error"),
    authorize({ headers }, { name }) {
      if (name === "token") return undefined;
      if (headers["x-api-key"] !== apiKey)
        return failure(403, "Invalid API key: should be in the format 'keystring:shared_secret'.");
      return tokens.accepts(bearerOf(headers.authorization))
        ? undefined
        : failure(401, "invalid_token: access token is expired");
    },
  });
  return { ...standIn, shopId, apiKey, client, tokens, receipts };
}

function failure(status: number, error: string): CarrierReply {
  return { status, body: { error } };
}
