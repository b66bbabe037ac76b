import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterFile } from "./after-file.ts";

type Asked = { method: string; url: URL; headers: IncomingHttpHeaders; body: string };
type Answer = { status?: number; body?: unknown; headers?: Record<string, string> };

/** Serves one API on loopback until the end of the test file. `asked`: all requests, in order. */
export async function startApi(answer: (asked: Asked) => Answer) {
  const asked: Asked[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const url = new URL(incoming.url!, "http://api");
      const request = { method: incoming.method!, url, headers: incoming.headers, body };
      asked.push(request);
      const { status = 200, body: answered, headers = {} } = answer(request);
      // Without a body there is no content type, as in the APIs below.
      if (answered === undefined) response.writeHead(status, headers).end();
      else response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(answered));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

type Variables = { orderCode: string; tracking: string };
type Fulfillment = Variables & { id: string };

/**
 * Fulfillments of Vendure's admin API: every outcome of a mutation has status 200. A rejected mutation returns a member of the result
 * union (errorCode, message); an exception returns `errors` with `data: null`.
 */
export async function startVendure() {
  const fulfillments: Fulfillment[] = [];
  const failing = { mutations: false, queries: false };
  const exception = (path: string) => {
    const error = {
      message: "Error: connect ECONNREFUSED",
      path: [path],
      extensions: { code: "INTERNAL_SERVER_ERROR" },
    };
    return { body: { errors: [error], data: null } };
  };
  const api = await startApi(({ body }) => {
    const { query, variables } = JSON.parse(body) as { query: string; variables: Variables };
    if (query.startsWith("mutation")) {
      if (failing.mutations) return exception("addFulfillmentToOrder");
      if (fulfillments.some(({ orderCode }) => orderCode === variables.orderCode)) {
        const errorCode = "ITEMS_ALREADY_FULFILLED_ERROR";
        const message = "One or more OrderItems are already part of a Fulfillment";
        return { body: { data: { addFulfillmentToOrder: { errorCode, message } } } };
      }
      const fulfillment = { id: String(fulfillments.length + 1), ...variables };
      fulfillments.push(fulfillment);
      return { body: { data: { addFulfillmentToOrder: { id: fulfillment.id, state: "Pending" } } } };
    }
    if (failing.queries) return exception("orders");
    const items = fulfillments.filter(({ orderCode }) => orderCode === variables?.orderCode);
    return { body: { data: { orders: { items: items.map(({ id }) => ({ id })), totalItems: items.length } } } };
  });
  return { ...api, fulfillments, failing };
}

const orderOf = (id: number) => ({
  id,
  entity_id: id,
  sku: `SKU-${id}`,
  available: id,
  updated_at: `2026-03-01 10:00:${String(id % 60).padStart(2, "0")}`,
});

/** Orders of Magento 2: repeats the last page for later pages. `hasTotal`: with a total count. */
export async function startMagento({ orders, hasTotal = true }: { orders: number; hasTotal?: boolean }) {
  const all = Array.from({ length: orders }, (_, i) => orderOf(i + 1));
  return await startApi(({ url }) => {
    const size = Number(url.searchParams.get("searchCriteria[pageSize]"));
    const lastPage = Math.max(1, Math.ceil(all.length / size));
    const page = Math.min(Number(url.searchParams.get("searchCriteria[currentPage]")), lastPage);
    const items = all.slice((page - 1) * size, page * size);
    return { body: { items, ...(hasTotal ? { total_count: all.length } : {}) } };
  });
}

/** Orders of BigCommerce v2: a bare list, or 204 without a body if empty. */
export async function startBigCommerce({ orders }: { orders: number }) {
  const all = Array.from({ length: orders }, (_, i) => orderOf(i + 1));
  return await startApi(({ url }) => {
    const size = Number(url.searchParams.get("limit"));
    const from = (Number(url.searchParams.get("page")) - 1) * size;
    const page = all.slice(from, from + size);
    return page.length === 0 ? { status: 204 } : { body: page };
  });
}
