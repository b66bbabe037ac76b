import { newId } from "../journaled-records.ts";
import { checkPurchase, checkRates, checkShipment } from "./stand-in-karrio-bodies.ts";
import type { ShipmentBody } from "./stand-in-karrio-bodies.ts";
import { cancelShipment, purchase, shownShipment } from "./stand-in-karrio-buy.ts";
import { karrioConnections, ratesFor } from "./stand-in-karrio-rates.ts";
import type { KarrioShipment, KarrioWorld } from "./stand-in-karrio-world.ts";
import { carrierFailure, fail, missing, page, refuse, shownAddress, shownParcel } from "./stand-in-karrio-world.ts";
import { labelFile } from "../label-files.ts";
import type { CarrierReply, CarrierRequest, Operation, StandIn } from "../stand-in-api.ts";

function draft(world: KarrioWorld, standIn: StandIn, given: ShipmentBody, isTest: boolean): KarrioShipment {
  const at = world.now().toISOString();
  return {
    id: newId("shp_"),
    status: "draft",
    reference: given.reference ?? null,
    carrier_name: null,
    carrier_id: null,
    tracking_number: null,
    shipment_identifier: null,
    tracker_id: null,
    tracking_url: null,
    label_type: given.label_type ?? "PDF",
    label_url: null,
    service: null,
    selected_rate: null,
    selected_rate_id: null,
    ...ratesFor(standIn, given, isTest),
    shipper: shownAddress(given.shipper),
    recipient: shownAddress(given.recipient),
    parcels: given.parcels.map(shownParcel),
    test_mode: isTest,
    metadata: given.metadata ?? {},
    meta: { request_id: newId("") },
    more: {
      object_type: "shipment",
      return_address: given.return_address ? shownAddress(given.return_address) : null,
      billing_address: given.billing_address ? shownAddress(given.billing_address) : null,
      services: given.services ?? [],
      options: { shipping_date: at.slice(0, 16), shipment_date: at.slice(0, 10), ...given.options },
      payment: { paid_by: "sender", currency: "USD", account_number: null, ...given.payment },
      customs: given.customs ?? null,
      order_id: given.order_id ?? null,
      carrier_ids: given.carrier_ids ?? [],
      created_at: at,
      is_archived: false,
      archived_at: null,
      invoice_url: null,
      is_return: given.is_return ?? false,
      return_shipment: null,
    },
  };
}

function createShipment(world: KarrioWorld, standIn: StandIn, body: unknown, isTest: boolean): CarrierReply {
  const { value, problems } = checkShipment(body);
  if (problems) return refuse(problems);
  const shipment = draft(world, standIn, value, isTest);
  if (shipment.rates.length === 0 && shipment.messages.length > 0) return carrierFailure(shipment.messages);
  world.shipments.save(standIn, "shipment", shipment, { id: shipment.id, reference: shipment.reference });
  if (!value.service) return { status: 201, body: shownShipment(shipment, false) };
  const reply = purchase(world, standIn, shipment, { service: value.service });
  return reply.status === 200 ? { ...reply, status: 201 } : reply;
}

/** Filters by text find parts of it, in any case: "order-1" finds "ORDER-10" too. */
function listShipments(world: KarrioWorld, { searchParams }: URL, isTest: boolean): CarrierReply {
  const has = (value: unknown, part: string): boolean =>
    typeof value === "string" && value.toLowerCase().includes(part.toLowerCase());
  const isWanted = (one: KarrioShipment): boolean => {
    const [reference, number, status] = [
      searchParams.get("reference"),
      searchParams.get("tracking_number"),
      searchParams.get("status"),
    ];
    return (
      one.test_mode === isTest &&
      (reference === null || has(one.reference, reference)) &&
      (number === null || has(one.tracking_number, number)) &&
      (status === null || one.status === status)
    );
  };
  return page(world.shipments.list(isWanted).map((one) => shownShipment(one, false)));
}

const contentTypes: Record<string, string> = {
  pdf: "application/pdf",
  png: "image/png",
  zpl: "application/octet-stream",
};

export function shipmentOperations(world: KarrioWorld, isTest: (request: CarrierRequest) => boolean): Operation[] {
  const withShipment =
    (
      act: (
        shipment: KarrioShipment,
        request: CarrierRequest,
        standIn: StandIn,
        match: RegExpExecArray,
      ) => CarrierReply,
    ): Operation["answer"] =>
    (request, match, standIn) => {
      const shipment = world.shipments.find(match[1]!);
      return shipment && shipment.test_mode === isTest(request)
        ? act(shipment, request, standIn, match)
        : missing("Shipment");
    };
  return [
    {
      name: "rate",
      method: "POST",
      path: /^\/v1\/proxy\/rates$/,
      answer(request, _match, standIn) {
        const { value, problems } = checkRates(request.json());
        if (problems) return refuse(problems);
        const unknownIds = (value.carrier_ids ?? []).every((id) => !karrioConnections.some((one) => one.id === id));
        if (value.carrier_ids?.length && unknownIds)
          return fail(404, "not_found", "No active carrier connection found to process the request");
        const { rates, messages } = ratesFor(standIn, value, isTest(request));
        if (rates.length === 0 && messages.length > 0) return carrierFailure(messages);
        const listed = standIn.takeFault("one_object", "rate") ? rates[0] : rates;
        return { status: messages.length > 0 ? 207 : 200, body: { messages, rates: listed } };
      },
    },
    {
      name: "draft",
      method: "POST",
      path: /^\/v1\/shipments$/,
      answer: (request, _match, standIn) => createShipment(world, standIn, request.json(), isTest(request)),
    },
    {
      name: "list_shipments",
      method: "GET",
      path: /^\/v1\/shipments$/,
      answer: (request) => listShipments(world, request.url, isTest(request)),
    },
    {
      name: "find",
      method: "GET",
      path: /^\/v1\/shipments\/([^/]+)$/,
      answer: withShipment((shipment) => ({ status: 200, body: shownShipment(shipment, false) })),
    },
    {
      name: "rerate",
      method: "POST",
      path: /^\/v1\/shipments\/([^/]+)\/rates$/,
      answer: withShipment((shipment, _request, standIn) => {
        if (shipment.status !== "draft")
          return fail(409, "state_error", `Shipment is ${shipment.status} and cannot be updated anymore...`);
        const { rates, messages } = ratesFor(standIn, shipment, shipment.test_mode);
        if (rates.length === 0 && messages.length > 0) return carrierFailure(messages);
        const rated = world.shipments.save(standIn, "rerate", { ...shipment, rates, messages }, { id: shipment.id });
        return { status: 200, body: shownShipment(rated, false) };
      }),
    },
    {
      name: "buy",
      method: "POST",
      path: /^\/v1\/shipments\/([^/]+)\/purchase$/,
      answer: withShipment((shipment, request, standIn) => {
        const { value, problems } = checkPurchase(request.json());
        return problems ? refuse(problems) : purchase(world, standIn, shipment, value);
      }),
    },
    {
      name: "void",
      method: "POST",
      path: /^\/v1\/shipments\/([^/]+)\/cancel$/,
      answer: withShipment((shipment, _request, standIn) => cancelShipment(world, standIn, shipment)),
    },
    {
      name: "label_document",
      method: "POST",
      path: /^\/v1\/shipments\/([^/]+)\/documents\/([a-z]+)$/,
      answer: withShipment((shipment, _request, _standIn, match) => {
        if (match[2] !== "label")
          return {
            status: 404,
            body: { errors: [{ message: `Shipment '${shipment.id}' not found or has no ${match[2]}` }] },
          };
        const [document] = shownShipment(shipment, true).shipping_documents as unknown[];
        return document
          ? { status: 200, body: document }
          : { status: 404, body: { errors: [{ message: `Shipment '${shipment.id}' not found or has no label` }] } };
      }),
    },
    {
      name: "label_file",
      method: "GET",
      path: /^\/v1\/shipments\/([^/]+)\/label\.([a-z]+)$/,
      answer: withShipment((shipment, _request, _standIn, match) => {
        const type = contentTypes[match[2]!];
        if (!type || !shipment.label_url)
          return {
            status: 404,
            body: { errors: [{ message: `Shipment '${shipment.id}' not found or has no label` }] },
          };
        const file = labelFile(shipment.label_type, shipment.tracking_number ?? "");
        return { status: 200, headers: { "content-type": type }, body: file };
      }),
    },
  ];
}
