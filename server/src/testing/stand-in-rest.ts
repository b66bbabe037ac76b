import { byChange } from "./stand-in-data.ts";
import type { ShopData, ShopOrder } from "./stand-in-data.ts";
import type { Reply, ShopRequest } from "./stand-in-exchange.ts";
import type { TokenEndpoint } from "./stand-in-tokens.ts";

/** Settings of a rest bridge that imports the orders of a stand-in shop. */
export function restImportFrom({ url }: { url: string }) {
  const task = {
    name: "orders.import",
    mode: "pull",
    request: { path: "/page/orders" },
    recordsPath: "data",
    externalIdPath: "id",
    updatedAtPath: "updated_at",
    updatedSince: { param: "updated_since" },
    pagination: { kind: "page", pageSize: 10 },
  };
  return { baseUrl: `${url}/rest`, auth: { kind: "bearer" }, tasks: [task] };
}

/**
 * Lists the same orders with each kind of paging, and takes new ones, each POST a new one. `/rest/keyed` does nothing twice
 * for one key. What was taken is replaced by a PUT to its id.
 */
export function answerRest(data: ShopData, request: ShopRequest, token: string, tokens: TokenEndpoint): Reply {
  const { pathname, searchParams, origin } = request.url;
  if (!isAllowed(request, token, tokens)) return { status: 401, body: { error: "unauthorized" } };
  if (pathname === "/rest/ping") return { status: 200, body: { pong: true } };
  const [, , kind = "", list] = pathname.split("/");
  if (list === undefined)
    return request.method === "POST" ? create(data, request, kind === "keyed") : find(data, searchParams);
  if (request.method === "PUT") return replace(data, request, Number(list));
  const since = searchParams.get("updated_since");
  const all = data.orders.filter(({ updatedAt }) => since === null || Date.parse(updatedAt) >= Date.parse(since));
  const size = Number(searchParams.get("limit") ?? 10);
  const byId = all.toSorted((a, b) => a.id - b.id);
  if (kind === "page" || kind === "offset") {
    const from =
      kind === "page" ? (Number(searchParams.get("page") ?? 1) - 1) * size : Number(searchParams.get("offset") ?? 0);
    return { status: 200, body: { data: byId.slice(from, from + size).map(present), meta: { total: all.length } } };
  }
  const after = searchParams.get("after") ?? "";
  const left = all.toSorted(byChange).filter((order) => keyOf(order) > after);
  const page = left.slice(0, size);
  const next = left.length > page.length ? keyOf(page.at(-1)!) : null;
  const body = { data: page.map(present), meta: { total: all.length, next: kind === "cursor" ? next : undefined } };
  if (kind !== "link" || next === null) return { status: 200, body };
  const target = new URL(request.url);
  target.searchParams.set("after", next);
  return { status: 200, headers: { link: `<${origin}/>; rel="first", <${target.href}>; rel="next"` }, body };
}

function isAllowed({ headers, url }: ShopRequest, token: string, tokens: TokenEndpoint): boolean {
  const basic = `Basic ${Buffer.from(`user:${token}`).toString("base64")}`;
  const { authorization } = headers;
  if (authorization === basic || tokens.accepts(authorization?.replace(/^Bearer /, ""))) return true;
  return headers["x-api-key"] === token || url.searchParams.get("api_key") === token;
}

function keyOf(order: ShopOrder): string {
  return `${order.updatedAt}|${String(order.id).padStart(10, "0")}`;
}

function present(order: ShopOrder) {
  return {
    id: order.id,
    reference: order.number,
    updated_at: order.updatedAt,
    buyer: { name: order.name, email: order.email },
    items: order.lines.map(({ sku, quantity }) => ({ sku, quantity })),
  };
}

function create(data: ShopData, request: ShopRequest, honoursKeys: boolean): Reply {
  const key = String(request.headers["idempotency-key"] ?? "");
  const known = data.answered.get(key);
  if (honoursKeys && key !== "" && known !== undefined) return { status: 200, body: known };
  const detail = JSON.parse(request.body) as { number?: string };
  const { number = "" } = detail;
  const id = data.newId();
  data.record("order.create", id, honoursKeys ? key : number, detail);
  const body = { id, reference: number };
  data.answered.set(key, body);
  return { status: 201, body };
}

function replace(data: ShopData, request: ShopRequest, id: number): Reply {
  const isThere = data.journal.some(({ kind, orderId }) => kind === "order.create" && orderId === id);
  if (!isThere) return { status: 404, body: { error: "not found" } };
  data.record("order.update", id, String(request.headers["idempotency-key"] ?? ""), JSON.parse(request.body));
  return { status: 200, body: { id } };
}

/** By number, and by tracking number where one is named. */
function find(data: ShopData, query: URLSearchParams): Reply {
  const reference = query.get("reference");
  const tracking = query.get("tracking");
  const found = data.journal.filter(({ kind, detail }) => {
    const of = detail as { number?: string; tracking?: string };
    return kind === "order.create" && of.number === reference && (tracking === null || of.tracking === tracking);
  });
  return { status: 200, body: { data: found.map(({ orderId }) => ({ id: orderId, reference })) } };
}
