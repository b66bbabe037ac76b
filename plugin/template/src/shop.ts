import type { Call, Connector, Page, PulledRecord } from "@order-operations-hub/plugin";
import {
  askJson,
  asText,
  connectionTest,
  importSettings,
  instantOf,
  laterOf,
  listOf,
  objectOf,
  pullTask,
  RemoteError,
  SinceInput,
  startOf,
  Strict,
  Type,
  urlProblems,
} from "@order-operations-hub/plugin";

type Json = Record<string, unknown>;

async function getJson(
  call: Call,
  path: string,
  query: Record<string, string | number | undefined> = {},
): Promise<Json> {
  const headers = { authorization: `Bearer ${asText(call.credentials.token)}` };
  return objectOf(await askJson(call, { url: `${asText(call.settings.url)}${path}`, query, headers }));
}

/** The order as the body of `POST /orders`. */
function canonicalOf(order: Json): Json {
  const lines = listOf(order.items).map((item) => ({ sku: asText(item.article), quantity: Number(item.count) }));
  return { externalId: asText(order.id), number: asText(order.reference), status: "new", lines };
}

function recordOf(order: Json): PulledRecord {
  const updatedAt = instantOf(order.changed_at);
  return { externalId: asText(order.id), raw: order, canonical: canonicalOf(order), ...(updatedAt && { updatedAt }) };
}

/** `page`: the next page of this import; `highest`: the newest change seen, where the next import starts. */
type Cursor = { page?: number; since?: string; highest?: string };

async function* pullOrders(call: Call, cursor: unknown): AsyncGenerator<Page> {
  let { page, since, highest } = objectOf(cursor) as Cursor;
  if (page === undefined) since = startOf(call, cursor);
  for (page ??= 1; ; page++) {
    const body = await getJson(call, "/orders", { page, changed_since: since });
    // An answer without a list would otherwise look like the last page.
    if (!Array.isArray(body.orders))
      throw new RemoteError("unexpected_response", "The answer has no orders.", { retryable: true });
    const records = listOf(body.orders).map(recordOf);
    highest = records.reduce((time, { updatedAt }) => laterOf(time, updatedAt), highest);
    yield { records, cursor: body.more === true ? { page: page + 1, since, highest } : { highest } };
    if (body.more !== true) return;
  }
}

export const shop: Connector = {
  name: "acme.shop",
  title: "Acme shop",
  description: "Orders of a shop with a REST API.",
  settings: Strict(
    { url: Type.String({ title: "API address", format: "uri", maxLength: 500 }), ...importSettings },
    { examples: [{ url: "https://shop.example.com/api" }] },
  ),
  credentials: Strict(
    { token: Type.String({ title: "API token", "x-widget": "password", minLength: 1, maxLength: 500 }) },
    { examples: [{ token: "acme_0123456789" }] },
  ),
  // Stored cursors belong to this address, and the token is sent to no other.
  site: ["url"],
  sendsTo: ({ url }) => [{ at: "/url", url: asText(url) }],
  check: ({ url }, limits) => urlProblems("/url", url, limits),
  concurrency: 2,
  isShop: true,
  tasks: () => [
    connectionTest((call) => getJson(call, "/ping")),
    pullTask("orders.import", {
      description: "Reads new and changed orders.",
      input: SinceInput,
      isIncremental: true,
      canonicalOf,
      pull: pullOrders,
    }),
  ],
};
