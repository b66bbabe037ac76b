import { checkBuy, checkRefunds, checkShipment } from "./stand-in-easypost-bodies.ts";
import type { AddressRef, CustomsInfoBody, ParcelBody } from "./stand-in-easypost-bodies.ts";
import { buyShipment, refundShipment } from "./stand-in-easypost-buy.ts";
import type { Mode, Shipment } from "./stand-in-easypost-objects.ts";
import { fail, notFound, refuse } from "./stand-in-easypost-answers.ts";
import { makeCustomsInfo, makeParcel, stamp } from "./stand-in-easypost-objects.ts";
import { carrierAccounts, ratesFor } from "./stand-in-easypost-rates.ts";
import type { EasypostWorld } from "./stand-in-easypost-world.ts";
import { addressOf, findShipment, modeOf } from "./stand-in-easypost-world.ts";
import { newId } from "../journaled-records.ts";
import type { CarrierReply, Operation, StandIn } from "../stand-in-api.ts";
import { zoneBetween } from "../stand-in-prices.ts";

type Draft = {
  to_address: AddressRef;
  from_address: AddressRef;
  return_address?: AddressRef;
  buyer_address?: AddressRef;
  parcel: ParcelBody;
  customs_info?: CustomsInfoBody | null;
  options?: Record<string, unknown> | null;
  reference?: string | null;
  carrier_accounts?: string[] | null;
  is_return?: boolean;
};

/** A shipment with its rates, not yet kept. Undefined: one of its addresses does not exist. */
export function draft(world: EasypostWorld, standIn: StandIn, given: Draft, mode: Mode): Shipment | undefined {
  const at = world.now();
  const to = addressOf(world, standIn, given.to_address, mode);
  const from = addressOf(world, standIn, given.from_address, mode);
  if (!to || !from) return undefined;
  const back = given.return_address ? addressOf(world, standIn, given.return_address, mode) : from;
  const buyer = given.buyer_address ? addressOf(world, standIn, given.buyer_address, mode) : to;
  if (!back || !buyer) return undefined;
  const shipment: Shipment = {
    created_at: stamp(at),
    is_return: given.is_return ?? false,
    messages: [],
    mode,
    options: {
      ...given.options,
      currency: "USD",
      payment: given.options?.payment ?? { type: "SENDER" },
      date_advance: 0,
    },
    reference: given.reference ?? null,
    status: "unknown",
    tracking_code: null,
    updated_at: stamp(at),
    batch_id: null,
    batch_status: null,
    batch_message: null,
    customs_info: given.customs_info ? makeCustomsInfo(given.customs_info, mode, at) : null,
    from_address: from,
    insurance: null,
    order_id: null,
    parcel: makeParcel(given.parcel, mode, at),
    postage_label: null,
    rates: [],
    refund_status: null,
    scan_form: null,
    selected_rate: null,
    tracker: null,
    to_address: to,
    usps_zone: zoneBetween(from.zip ?? "", to.zip ?? ""),
    return_address: back,
    buyer_address: buyer,
    forms: [],
    fees: [],
    id: newId("shp_"),
    object: "Shipment",
  };
  const accountIds = given.carrier_accounts ?? [];
  return { ...shipment, ...ratesFor(shipment, { accountIds, mode, at, standIn }) };
}

export const hasUnknownAccount = (ids: string[] | null | undefined): boolean =>
  (ids ?? []).some((id) => !carrierAccounts.some((account) => account.id === id));

function createShipment(world: EasypostWorld, standIn: StandIn, body: unknown, mode: Mode): CarrierReply {
  const { value, problems } = checkShipment(body);
  if (problems) return refuse(problems, "SHIPMENT.INVALID_PARAMS");
  const { shipment: given } = value;
  const { service } = given;
  if (hasUnknownAccount(given.carrier_accounts)) {
    return fail(422, "SHIPMENT.RATE.CARRIER_ACCOUNT_INVALID", "A carrier account is not valid.");
  }
  const shipment = draft(world, standIn, given, mode);
  if (!shipment) return notFound();
  world.shipments.save(standIn, "shipment", shipment, { id: shipment.id, reference: shipment.reference });
  if (!service) return { status: 201, body: shipment };
  // Created and bought in one request: a lost answer leaves the caller without an id.
  if (given.carrier_accounts?.length !== 1) {
    return fail(422, "SHIPMENT.INVALID_PARAMS", "Exactly one carrier account is needed to buy a service at once.");
  }
  const rate = shipment.rates.find((one) => one.service === service);
  if (!rate) return fail(422, "SHIPMENT.MISSING_RATE", "No rate was found for the service.");
  const reply = buyShipment(world, standIn, shipment, { rate, insurance: given.insurance });
  return reply.status === 200 ? { ...reply, status: 201 } : reply;
}

function quote(world: EasypostWorld, standIn: StandIn, body: unknown, mode: Mode): CarrierReply {
  const { value, problems } = checkShipment(body);
  if (problems) return refuse(problems, "SHIPMENT.INVALID_PARAMS");
  const shipment = draft(world, standIn, value.shipment, mode);
  if (!shipment) return notFound();
  const { options, messages } = shipment;
  const rates = shipment.rates.map(({ id: _i, shipment_id: _s, created_at: _c, updated_at: _u, ...rate }) => rate);
  // Nothing is kept, so nothing has an id: addresses and parcel come back as they were given.
  const { from_address: from, to_address: to, parcel } = value.shipment;
  const echo = (object: string, given: object | string): object => ({
    object,
    ...(typeof given === "object" ? given : { id: given }),
  });
  const given = {
    from_address: echo("Address", from),
    to_address: echo("Address", to),
    parcel: echo("Parcel", parcel),
  };
  return { status: 200, body: { ...given, rates, options, messages } };
}

export function shipmentOperations(world: EasypostWorld): Operation[] {
  const withShipment =
    (act: (shipment: Shipment, body: () => unknown, standIn: StandIn) => CarrierReply): Operation["answer"] =>
    (request, match, standIn) => {
      const shipment = findShipment(world, decodeURIComponent(match[1]!), modeOf(world, request));
      return shipment ? act(shipment, () => request.json(), standIn) : notFound();
    };
  return [
    {
      name: "rate",
      method: "POST",
      path: /^\/v2\/shipments$/,
      answer: (request, _match, standIn) => createShipment(world, standIn, request.json(), modeOf(world, request)),
    },
    {
      name: "list_shipments",
      method: "GET",
      path: /^\/v2\/shipments$/,
      answer(request) {
        const { searchParams } = request.url;
        const size = Number(searchParams.get("page_size") ?? 20);
        const isPurchased = searchParams.get("purchased") !== "false";
        const mode = modeOf(world, request);
        const all = world.shipments.list((one) => one.mode === mode && (one.postage_label !== null) === isPurchased);
        const before = searchParams.get("before_id");
        const rest = before ? all.slice(all.findIndex((one) => one.id === before) + 1) : all;
        return { status: 200, body: { shipments: rest.slice(0, size), has_more: rest.length > size } };
      },
    },
    {
      name: "find",
      method: "GET",
      path: /^\/v2\/shipments\/([^/]+)$/,
      answer: withShipment((shipment) => ({ status: 200, body: shipment })),
    },
    {
      name: "buy",
      method: "POST",
      path: /^\/v2\/shipments\/([^/]+)\/buy$/,
      answer: withShipment((shipment, body, standIn) => {
        const { value, problems } = checkBuy(body());
        if (problems) return refuse(problems, "SHIPMENT.INVALID_PARAMS");
        if (shipment.postage_label) {
          return fail(422, "SHIPMENT.POSTAGE.EXISTS", "Postage already exists for this shipment.");
        }
        const rate = shipment.rates.find((one) => one.id === value.rate.id);
        if (!rate) return notFound();
        return buyShipment(world, standIn, shipment, { rate, insurance: value.insurance });
      }),
    },
    {
      name: "rerate",
      method: "POST",
      path: /^\/v2\/shipments\/([^/]+)\/rerate$/,
      answer: withShipment((shipment, _body, standIn) => {
        const { mode } = shipment;
        const { rates } = ratesFor(shipment, { accountIds: [], mode, at: world.now(), standIn });
        world.shipments.save(standIn, "rerate", { ...shipment, rates }, { id: shipment.id });
        return { status: 200, body: { rates } };
      }),
    },
    {
      name: "void",
      method: "POST",
      path: /^\/v2\/shipments\/([^/]+)\/refund$/,
      answer: withShipment((shipment, _body, standIn) => refundShipment(world, standIn, shipment)),
    },
    {
      name: "void_many",
      method: "POST",
      path: /^\/v2\/refunds$/,
      answer(request, _match, standIn) {
        const { value, problems } = checkRefunds(request.json());
        if (problems) return refuse(problems, "REFUND.TRACKING_CODES.INVALID");
        const refunds = value.refund.tracking_codes.map((code) => {
          const shipment = world.shipments.newest((one) => one.tracking_code === code);
          const reply = shipment && refundShipment(world, standIn, shipment);
          const status = reply?.status === 200 ? world.shipments.find(shipment!.id)!.refund_status : "rejected";
          const time = stamp(world.now());
          return {
            id: newId("rfnd_"),
            object: "Refund",
            created_at: time,
            updated_at: time,
            tracking_code: code,
            confirmation_number: null,
            status,
            carrier: value.refund.carrier,
            shipment_id: shipment?.id ?? null,
          };
        });
        return { status: 201, body: standIn.takeFault("one_object", "void_many") ? refunds[0] : refunds };
      },
    },
    {
      name: "quote",
      method: "POST",
      path: /^\/beta\/rates$/,
      answer: (request, _match, standIn) => quote(world, standIn, request.json(), modeOf(world, request)),
    },
  ];
}
