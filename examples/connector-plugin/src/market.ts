import type { Call, Connector, HttpRequest, Page, PulledRecord } from "@order-operations-hub/plugin";
import {
  askJson,
  asText,
  connectionTest,
  customerOf,
  filled,
  importSettings,
  instantOf,
  laterOf,
  lineOf,
  listOf,
  objectOf,
  pullTask,
  pushTask,
  RemoteError,
  SinceInput,
  startOf,
  Strict,
  Type,
  urlProblems,
} from "@order-operations-hub/plugin";

type Json = Record<string, unknown>;

/** All requests carry the token; the hub sends it to the address of `sendsTo` only. */
async function askMarket(call: Call, path: string, request: Omit<HttpRequest, "url"> = {}): Promise<Json> {
  const headers = { ...request.headers, authorization: `Bearer ${asText(call.credentials.token)}` };
  return objectOf(await askJson(call, { ...request, headers, url: `${asText(call.settings.url)}${path}` }));
}

/** `after`: the position within a pass; `highest`: the newest change seen, from which the next pass starts. */
type Cursor = { after?: string; since?: string; highest?: string };

async function* pullOrders(call: Call, cursor: unknown): AsyncGenerator<Page> {
  let at = objectOf(cursor) as Cursor;
  if (at.after === undefined) at = { ...filled({ since: startOf(call, cursor), highest: at.highest }) };
  for (;;) {
    const query = { limit: 20, after: at.after, updated_since: at.since };
    const body = await askMarket(call, "/cursor/orders", { query });
    // Without it an answer that is cut short would look like the last page.
    if (!Array.isArray(body.data))
      throw new RemoteError("unexpected_response", "The answer has no orders.", { retryable: true });
    const records = listOf(body.data).map(recordOf);
    const highest = records.reduce<string | undefined>((time, { updatedAt }) => laterOf(time, updatedAt), at.highest);
    const next = objectOf(body.meta).next;
    const isLast = typeof next !== "string";
    at = filled(isLast ? { highest } : { after: next, since: at.since, highest });
    yield { records, cursor: at, total: Number(objectOf(body.meta).total) };
    if (isLast) return;
  }
}

function recordOf(order: Json): PulledRecord {
  const externalId = asText(order.id);
  const updatedAt = instantOf(order.updated_at);
  return { externalId, raw: order, canonical: canonicalOf(order), ...(updatedAt === undefined ? {} : { updatedAt }) };
}

/** The order as the body of `POST /orders`. */
function canonicalOf(order: Json): Json {
  const lines = listOf(order.items).map((item, index) =>
    lineOf({
      id: String(index + 1),
      sku: item.sku,
      name: item.title,
      price: item.price,
      quantity: Number(item.quantity),
    }),
  );
  return filled({
    externalId: asText(order.id),
    number: asText(order.reference),
    status: "new",
    channel: "market",
    customer: customerOf(objectOf(order.buyer)),
    lines,
  });
}

export const market: Connector = {
  name: "example.market",
  title: "Example Market",
  description: "Orders of Example Market, an invented marketplace with a REST API.",
  settings: Strict(
    {
      url: Type.String({
        title: "API address",
        format: "uri",
        maxLength: 500,
        description: "Without a slash at the end",
      }),
      ...importSettings,
    },
    { examples: [{ url: "https://api.market.example/rest" }] },
  ),
  credentials: Strict(
    {
      token: Type.String({
        title: "API token",
        "x-widget": "password",
        minLength: 1,
        maxLength: 500,
        description: "Created in the settings of the market",
      }),
    },
    { examples: [{ token: "mk_live_0123456789" }] },
  ),
  site: ["url"],
  sendsTo: ({ url }) => [{ at: "/url", url: asText(url) }],
  check: ({ url }, limits) => urlProblems("/url", url, limits),
  concurrency: 4,
  isShop: true,
  tasks: () => [
    connectionTest(async (call) => ({ pong: (await askMarket(call, "/ping")).pong })),
    pullTask("orders.import", {
      description: "Reads new and changed orders, oldest change first.",
      input: SinceInput,
      isIncremental: true,
      canonicalOf,
      pull: pullOrders,
    }),
    pushTask("orders.export", {
      description: "Creates the order at the market.",
      // The market does nothing twice for the same key, so that a request without an answer may be repeated.
      idempotent: true,
      async send(call, record, effectKey) {
        const body = { json: { number: record.number } };
        const headers = { "idempotency-key": effectKey };
        const { id } = await askMarket(call, "/keyed", { method: "POST", headers, body, retry: "safe" });
        if (id === undefined)
          throw new RemoteError("unexpected_response", "The answer has no ID.", { mayHaveHappened: true });
        return { externalId: asText(id) };
      },
    }),
  ],
};
