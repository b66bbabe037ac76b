import { checkCarrierService, checkOrder } from "./stand-in-easypost-bodies.ts";
import { buyShipment } from "./stand-in-easypost-buy.ts";
import type { Mode, Rate } from "./stand-in-easypost-objects.ts";
import { fail, notFound, refuse } from "./stand-in-easypost-answers.ts";
import { draft, hasUnknownAccount } from "./stand-in-easypost-shipments.ts";
import type { EasypostWorld, Order } from "./stand-in-easypost-world.ts";
import { modeOf } from "./stand-in-easypost-world.ts";
import { newId } from "../journaled-records.ts";
import type { CarrierReply, Operation, StandIn } from "../stand-in-api.ts";
import { decimalText } from "../stand-in-prices.ts";

/** Prices of all pieces together, for services that every piece has. */
function orderBody(world: EasypostWorld, { shipmentIds, ...order }: Order): Record<string, unknown> {
  const shipments = shipmentIds.map((id) => world.shipments.find(id)!);
  const sum = (rates: Rate[], field: "rate" | "list_rate" | "retail_rate"): string =>
    decimalText(rates.reduce((cents, rate) => cents + Math.round(Number(rate[field]) * 100), 0));
  const rates = shipments[0]!.rates.flatMap((first) => {
    const same = shipments.flatMap((one) => one.rates.find((rate) => isSameService(rate, first)) ?? []);
    if (same.length < shipments.length) return [];
    const prices = {
      rate: sum(same, "rate"),
      list_rate: sum(same, "list_rate"),
      retail_rate: sum(same, "retail_rate"),
    };
    return [{ ...first, ...prices, created_at: null, updated_at: null }];
  });
  const { from_address, to_address, buyer_address, return_address } = shipments[0]!;
  const addresses = { from_address, to_address, buyer_address, return_address };
  const options = { currency: "USD", payment: { type: "SENDER" } };
  return { ...order, is_return: false, options, messages: [], ...addresses, shipments, rates, object: "Order" };
}

const isSameService = (one: Rate, other: { carrier: string; service: string }): boolean =>
  one.carrier === other.carrier && one.service === other.service;

function createOrder(world: EasypostWorld, standIn: StandIn, body: unknown, mode: Mode): CarrierReply {
  const { value, problems } = checkOrder(body);
  if (problems) return refuse(problems, "ORDER.INVALID");
  const { order: given } = value;
  const accounts = given.carrier_accounts?.map(({ id }) => id);
  if (hasUnknownAccount(accounts)) return fail(422, "CARRIER_ACCOUNT.INVALID", "A carrier account is not valid.");
  const id = newId("order_");
  const { to_address, from_address, customs_info, options } = given;
  const pieces = given.shipments.map((piece) =>
    draft(
      world,
      standIn,
      { to_address, from_address, customs_info, options, carrier_accounts: accounts ?? null, ...piece },
      mode,
    ),
  );
  const shipments = pieces.filter((piece) => piece !== undefined).map((piece) => ({ ...piece, order_id: id }));
  if (shipments.length < pieces.length) return notFound();
  for (const piece of shipments)
    world.shipments.save(standIn, "shipment", piece, { id: piece.id, reference: piece.reference });
  const first = shipments[0]!;
  const order: Order = {
    id,
    mode,
    reference: given.reference ?? "",
    created_at: first.created_at,
    updated_at: first.updated_at,
    customs_info: first.customs_info,
    shipmentIds: shipments.map((piece) => piece.id),
  };
  world.orders.save(standIn, "order", order, { id, reference: order.reference });
  return { status: 201, body: orderBody(world, order) };
}

function buyOrder(world: EasypostWorld, standIn: StandIn, order: Order, body: unknown): CarrierReply {
  const { value, problems } = checkCarrierService(body);
  if (problems) return refuse(problems, "ORDER.INVALID");
  const shipments = order.shipmentIds.map((id) => world.shipments.find(id)!);
  if (shipments.some((one) => one.postage_label)) {
    return fail(422, "SHIPMENT.POSTAGE.EXISTS", "Postage already exists for this shipment.");
  }
  const rates = shipments.map((one) => one.rates.find((rate) => isSameService(rate, value)));
  if (rates.some((rate) => rate === undefined)) {
    return fail(422, "ORDER.RATE.UNAVAILABLE", "No rate was found for the carrier and service.");
  }
  for (const [index, shipment] of shipments.entries()) {
    if (index === 1 && standIn.takeFault("second_piece_refused", "buy_order"))
      return fail(422, "SHIPMENT.POSTAGE.FAILURE", "The carrier refused the second parcel.");
    const reply = buyShipment(world, standIn, shipment, { rate: rates[index]!, reference: order.reference });
    if (reply.status !== 200) return reply;
  }
  return { status: 200, body: orderBody(world, order) };
}

/** An order is a shipment of several pieces. */
export function orderOperations(world: EasypostWorld): Operation[] {
  const withOrder =
    (act: (order: Order, body: () => unknown, standIn: StandIn) => CarrierReply): Operation["answer"] =>
    (request, match, standIn) => {
      const mode = modeOf(world, request);
      const id = decodeURIComponent(match[1]!);
      const order = world.orders.newest((one) => one.mode === mode && (one.id === id || one.reference === id));
      return order ? act(order, () => request.json(), standIn) : notFound();
    };
  return [
    {
      name: "rate_order",
      method: "POST",
      path: /^\/v2\/orders$/,
      answer: (request, _match, standIn) => createOrder(world, standIn, request.json(), modeOf(world, request)),
    },
    {
      name: "find_order",
      method: "GET",
      path: /^\/v2\/orders\/([^/]+)$/,
      answer: withOrder((order) => ({ status: 200, body: orderBody(world, order) })),
    },
    {
      name: "buy_order",
      method: "POST",
      path: /^\/v2\/orders\/([^/]+)\/buy$/,
      answer: withOrder((order, body, standIn) => buyOrder(world, standIn, order, body())),
    },
  ];
}
