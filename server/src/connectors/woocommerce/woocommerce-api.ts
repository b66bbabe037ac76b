import type { HttpRequest, HttpResponse } from "../../core/outbound/outbound-request.ts";
import { ask, readJson } from "../../core/outbound/ask-remote.ts";
import type { Call } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Json } from "../shape.ts";
import { asText, listOf, objectOf } from "../shape.ts";

type Request = Omit<HttpRequest, "url"> & { path: string };

export async function askWoo(
  call: Call,
  { path, ...request }: Request,
  accepted: number[] = [],
): Promise<HttpResponse> {
  const { consumerKey, consumerSecret } = call.credentials as Record<string, string>;
  const authorization = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString("base64")}`;
  const url = `${String(call.settings.url).replace(/\/$/, "")}/wp-json${path}`;
  return await ask(call, { ...request, url, headers: { ...request.headers, authorization } }, accepted);
}

/** The body as JSON; undefined if the shop lacks the route because an extension or a feature is not installed. */
export async function askRoute(call: Call, request: Request): Promise<unknown> {
  const response = await askWoo(call, request, [404]);
  const body = readJson(response);
  if (response.status !== 404) return body;
  if (objectOf(body).code === "rest_no_route") return undefined;
  throw new RemoteError("not_found", `The shop has no such order: ${asText(objectOf(body).message)}`);
}

/** The id in the shop: the imported one, or else that of the only order with this number. */
export async function orderIdOf(call: Call, record: Json): Promise<string> {
  const { externalId, number } = record;
  if (typeof externalId === "string" && /^\d+$/.test(externalId)) return externalId;
  if (typeof number !== "string")
    throw new RemoteError("order_not_from_bridge", "The order has neither external id nor number.");
  const found = readJson(await askWoo(call, { path: "/wc/v3/orders", query: { search: number, per_page: 20 } }));
  const exact = listOf(found).filter((order) => String(order.number) === number);
  if (exact.length === 1) return String(exact[0]!.id);
  throw new RemoteError("not_found", `The shop has ${exact.length === 0 ? "no order" : "several orders"} ${number}.`);
}
