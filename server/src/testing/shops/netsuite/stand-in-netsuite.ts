import { constants, generateKeyPairSync, verify } from "node:crypto";
import type { CarrierReply, CarrierRequest } from "../../carriers/stand-in-api.ts";
import { bearerOf, runShop } from "../run-shop.ts";
import { netsuiteOrders } from "./netsuite-orders.ts";

type ItemFulfillment = {
  id: string;
  orderId: string;
  shipStatus?: { id: string };
  item?: { items: { orderLine: number; quantity: number; itemReceive: boolean }[] };
  package?: { items: { packageTrackingNumber: string; packageDescr: string }[] };
};

const clientId = "netsuite-consumer-key";
const certificateId = "certificate-1";

/**
 * Sales orders by SuiteQL, their records, and item fulfillments of NetSuite's REST services. Access tokens are issued for an
 * assertion that is signed with PS256; a new fulfillment is answered with 204 and its address.
 */
export async function startNetsuite() {
  const orders = netsuiteOrders();
  const fulfillments: ItemFulfillment[] = [];
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 3072 });
  const issued = new Set<string>();
  const tokenPath = "/services/rest/auth/oauth2/v1/token";

  const token = (request: CarrierRequest): CarrierReply => {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const [header = "", payload = "", signature = ""] = (form.get("client_assertion") ?? "").split(".");
    const read = (part: string) =>
      JSON.parse(Buffer.from(part, "base64url").toString() || "{}") as Record<string, unknown>;
    const key = { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    const isSigned = verify("sha256", Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"));
    const { alg, kid } = read(header);
    const { iss, aud, exp, iat, scope } = read(payload);
    const isKnown = alg === "PS256" && kid === certificateId && iss === clientId && String(aud).endsWith(tokenPath);
    const isFresh = Number(exp) > Date.now() / 1000 && Number(exp) - Number(iat) <= 3600;
    const hasScope = [scope].flat().includes("rest_webservices");
    if (form.get("grant_type") !== "client_credentials" || !isSigned || !isKnown || !isFresh || !hasScope) {
      return { status: 400, body: { error: "invalid_client" } };
    }
    const access = `netsuite-${issued.size + 1}`;
    issued.add(access);
    return { status: 200, body: { access_token: access, expires_in: "3600", token_type: "bearer" } };
  };

  const query = (request: CarrierRequest): CarrierReply => {
    if (request.headers.prefer !== "transient")
      return failure(400, "INVALID_HEADER", "The required request header 'Prefer' is missing or invalid.");
    const { q } = request.json() as { q: string };
    const { searchParams } = request.url;
    const limit = Number(searchParams.get("limit") ?? 1000);
    const offset = Number(searchParams.get("offset") ?? 0);
    if (limit > 1000 || offset % limit !== 0) return failure(400, "INVALID_PARAMETER", "Invalid limit or offset.");
    const columns = /^SELECT (.+) FROM transaction /s.exec(q)?.[1]?.split(/,\s*(?![^(]*\))/) ?? [];
    const names = columns.map((column) => / AS (\w+)$/.exec(column.trim())?.[1] ?? column.trim().replace(/^\w+\./, ""));
    const since = /lastmodifieddate >= TO_DATE\('([^']+)', 'YYYY-MM-DD HH24:MI:SS'\)/.exec(q)?.[1];
    if (names.length === 0 || (q.includes("TO_DATE") && since === undefined))
      return failure(400, "INVALID_PARAMETER", "Invalid search query.");
    const found = orders.filter(({ row }) => since === undefined || row.modified >= since);
    const items = found
      .slice(offset, offset + limit)
      .map(({ row }) => ({ links: [], ...Object.fromEntries(names.map((name) => [name, row[name]])) }));
    return {
      status: 200,
      body: {
        links: [],
        count: items.length,
        hasMore: offset + items.length < found.length,
        items,
        offset,
        totalResults: found.length,
      },
    };
  };

  const find = ({ url }: CarrierRequest, [, id]: RegExpExecArray): CarrierReply => {
    const found = orders.find(({ record }) => record.id === id)?.record;
    if (!found) return failure(404, "NONEXISTENT_ID", "The record instance does not exist.");
    if (url.searchParams.get("expandSubResources") === "true") return { status: 200, body: found };
    return { status: 200, body: { ...found, item: { links: [{ rel: "self", href: "…/item" }] } } };
  };

  const fulfill = (request: CarrierRequest, [, id]: RegExpExecArray): CarrierReply => {
    const order = orders.find(({ record }) => record.id === id);
    if (!order) return failure(404, "NONEXISTENT_ID", "The record instance does not exist.");
    if (!["B", "D", "E"].includes(order.row.status))
      return failure(
        400,
        "USER_ERROR",
        "Error while accessing a resource. You must have at least one line item for this transaction.",
      );
    const given = request.json() as Omit<ItemFulfillment, "id" | "orderId">;
    const fulfillmentId = String(9000 + fulfillments.length);
    fulfillments.push({ id: fulfillmentId, orderId: id!, ...given });
    // Lines that the request does not exclude are fulfilled.
    if (given.item === undefined) order.row.status = "F";
    return {
      status: 204,
      headers: { location: `${standIn.url}/services/rest/record/v1/itemFulfillment/${fulfillmentId}` },
    };
  };

  const records = "/services/rest/record/v1/salesOrder";
  const standIn = await runShop({
    operations: [
      { name: "token", method: "POST", path: /^\/services\/rest\/auth\/oauth2\/v1\/token$/, answer: token },
      { name: "suiteql", method: "POST", path: /^\/services\/rest\/query\/v1\/suiteql$/, answer: query },
      { name: "record", method: "GET", path: new RegExp(`^${records}/(\\d+)$`), answer: find },
      {
        name: "fulfill",
        method: "POST",
        path: new RegExp(`^${records}/(\\d+)/!transform/itemFulfillment$`),
        answer: fulfill,
      },
    ],
    notFound: () => failure(404, "NOT_FOUND", "The requested path does not exist."),
    rateLimited: () =>
      failure(429, "CONCURRENCY_LIMIT_EXCEEDED", "Concurrent request limit exceeded. Request blocked."),
    broken: () => failure(500, "UNEXPECTED_ERROR", "An unexpected error occurred."),
    authorize: ({ headers }, { name }) =>
      name === "token" || issued.has(bearerOf(headers.authorization) ?? "")
        ? undefined
        : failure(401, "INVALID_LOGIN", "Invalid login attempt."),
  });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  return { ...standIn, clientId, certificateId, privateKey: key, orders, fulfillments };
}

function failure(status: number, code: string, detail: string): CarrierReply {
  const title = status === 401 ? "Unauthorized" : "Bad Request";
  return {
    status,
    body: {
      type: "https://www.rfc-editor.org/rfc/rfc9110",
      title,
      status,
      "o:errorDetails": [{ detail, "o:errorCode": code }],
    },
  };
}
