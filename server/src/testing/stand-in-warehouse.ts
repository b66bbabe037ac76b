import type { ShopData } from "./stand-in-data.ts";
import type { Reply, ShopRequest } from "./stand-in-exchange.ts";

type Taken = {
  id: number;
  reference: string;
  state: "taken" | "packed" | "given_back";
  shipTo: string;
  lines: { line: string; sku: string; quantity: number }[];
};
type Parcel = { id: number; tracking: string; state: string; changed_at: string };

export type StandInWarehouse = {
  answer(request: ShopRequest): Reply;
  /** What happens in the hall: `pack`, `list` a SKU, `deliver` a parcel. */
  happen(what: string, given: Record<string, unknown>): void;
};

const opening = Date.parse("2026-02-01T12:00:00Z");
/** SKUs that the warehouse does not know until they are listed. */
export const unlisted = "UNLISTED-";

/**
 * A warehouse with an interface of its own: takes orders under a key, once; tells by their reference which it has; gives
 * them back until they are packed; lists the parcels that have arrived. All it does is in the journal.
 */
export function createStandInWarehouse(data: ShopData, token: string): StandInWarehouse {
  const taken: Taken[] = [];
  const parcels: Parcel[] = [];
  const listed = new Set<string>();

  function take({ headers, body }: ShopRequest): Reply {
    const key = String(headers["idempotency-key"] ?? "");
    const known = data.answered.get(key);
    if (key !== "" && known !== undefined) return { status: 200, body: known };
    const given = JSON.parse(body) as { reference: string; ship_to: { street: string }; items: Taken["lines"] };
    const strange = given.items.find(({ sku }) => sku.startsWith(unlisted) && !listed.has(sku));
    if (strange) return { status: 422, body: { error: `We have no ${strange.sku}.` } };
    const { reference, items: lines } = given;
    const order: Taken = { id: data.newId(), reference, state: "taken", shipTo: given.ship_to.street, lines };
    taken.push(order);
    data.record("warehouse.take", order.id, reference, { shipTo: order.shipTo, lines });
    return keep(key, order);
  }

  function giveBack({ headers, body }: ShopRequest): Reply {
    const key = String(headers["idempotency-key"] ?? "");
    const known = data.answered.get(key);
    if (key !== "" && known !== undefined) return { status: 200, body: known };
    const { reference } = JSON.parse(body) as { reference: string };
    const order = taken.findLast((one) => one.reference === reference);
    if (!order) return { status: 404, body: { error: "There is no such order." } };
    if (order.state !== "taken") return { status: 409, body: { error: `It is ${order.state}.` } };
    order.state = "given_back";
    data.record("warehouse.give_back", order.id, reference);
    return keep(key, order);
  }

  function keep(key: string, { id, reference, state }: Taken): Reply {
    const body = { id, reference, state };
    data.answered.set(key, body);
    return { status: 201, body };
  }

  function listOrders(reference: string | null, isGivenBack: boolean): Reply {
    const found = taken.filter((one) => one.reference === reference && (one.state === "given_back") === isGivenBack);
    return { status: 200, body: { data: found.map(({ id, state }) => ({ id, reference, state })) } };
  }

  function listParcels(query: URLSearchParams): Reply {
    const since = query.get("since");
    const after = Number(query.get("after") ?? 0);
    const size = Number(query.get("limit") ?? 50);
    const all = parcels.filter((one) => since === null || Date.parse(one.changed_at) >= Date.parse(since));
    const page = all.slice(after, after + size);
    const next = after + size < all.length ? String(after + size) : null;
    return { status: 200, body: { data: page, next } };
  }

  return {
    answer(request) {
      const { method, url, headers } = request;
      if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: { error: "Who are you?" } };
      switch (`${method} ${url.pathname}`) {
        case "GET /warehouse/places":
          return { status: 200, body: { data: [{ code: "EAST", title: "Warehouse East", city: "Newark" }] } };
        case "POST /warehouse/orders":
          return take(request);
        case "GET /warehouse/orders":
          return listOrders(url.searchParams.get("reference"), false);
        case "POST /warehouse/recalls":
          return giveBack(request);
        case "GET /warehouse/recalls":
          return listOrders(url.searchParams.get("reference"), true);
        case "GET /warehouse/parcels":
          return listParcels(url.searchParams);
        default:
          return { status: 404, body: { error: "not found" } };
      }
    },
    happen(what, given) {
      if (what === "list") listed.add(String(given.sku));
      if (what === "deliver") {
        const changedAt = new Date(opening + parcels.length * 1000).toISOString();
        const tracking = String(given.tracking);
        parcels.push({ id: parcels.length + 1, tracking, state: "DELIVERED", changed_at: changedAt });
        data.record("warehouse.deliver", 0, tracking);
      }
      const order = taken.findLast((one) => one.reference === given.reference);
      if (what === "pack" && order?.state === "taken") order.state = "packed";
    },
  };
}
