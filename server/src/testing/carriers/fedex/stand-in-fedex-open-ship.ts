import type { Static } from "typebox";
import type { CarrierRequest, JournalEntry, Operation, StandIn } from "../stand-in-api.ts";
import { findShippingObstacle } from "./stand-in-fedex-prices.ts";
import { readBody, refuse, reply } from "./stand-in-fedex-replies.ts";
import { ConfirmBody, IndexBody, OpenShipBody } from "./stand-in-fedex-requests.ts";
import { fedexSales, newNumbers, recordSale, shipmentReply } from "./stand-in-fedex-sales.ts";

type OpenShipment = JournalEntry & {
  index: string;
  trackingNumbers: string[];
  shipment: Static<typeof OpenShipBody>["requestedShipment"];
  at: string;
};

const lifeMs = 5 * 86_400_000;

/**
 * Shipments under an index of the caller's own: created, then confirmed, which is the purchase; forgotten after five days.
 * What a second confirmation answers is not documented: with `repeatedConfirm` it is refused, as the harder case, or answers the
 * same shipment again. Neither buys a second time.
 */
export function fedexOpenShip(account: string, now: () => Date, repeatedConfirm: "refused" | "same"): Operation[] {
  const find = (standIn: StandIn, index: string): OpenShipment | undefined => {
    const open = (standIn.journal("open") as OpenShipment[]).findLast((one) => one.index === index);
    return open && now().getTime() - Date.parse(open.at) < lifeMs ? open : undefined;
  };
  const unknown = (request: CarrierRequest) =>
    refuse(400, "OPENSHIPMENT.INDEX.NOTFOUND", "There is no open shipment with this index.", request);
  const foreign = (request: CarrierRequest) =>
    refuse(400, "SHIPMENT.USER.UNAUTHORIZED", "Requested user is not authorized to perform the operation.", request);
  return [
    {
      name: "open_create",
      method: "POST",
      path: /^\/ship\/v1\/openshipments\/create$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, OpenShipBody);
        if (!body) return refused;
        if (body.accountNumber.value !== account) return foreign(request);
        const obstacle = findShippingObstacle(body.requestedShipment, request);
        if (obstacle) return obstacle;
        const trackingNumbers = newNumbers(standIn, body.requestedShipment);
        // Without an index, the master tracking number is one.
        const index = body.index ?? trackingNumbers[0]!;
        if (find(standIn, index)) {
          return refuse(
            400,
            "OPENSHIPMENT.INDEX.DUPLICATE",
            "There is an open shipment with this index already.",
            request,
          );
        }
        const open: OpenShipment = {
          kind: "open",
          index,
          trackingNumbers,
          shipment: body.requestedShipment,
          at: now().toISOString(),
        };
        standIn.record(open);
        const trackingId = { trackingIdType: "FEDEX", formId: "0201", trackingNumber: trackingNumbers[0] };
        const created = {
          serviceType: body.requestedShipment.serviceType,
          shipDatestamp: body.requestedShipment.shipDatestamp ?? open.at.slice(0, 10),
          alerts: [],
          completedShipmentDetail: { masterTrackingId: trackingId, carrierCode: "FDXE" },
          masterTrackingNumber: trackingNumbers[0],
        };
        return reply(request, { index, transactionShipments: [created] });
      },
    },
    {
      name: "buy",
      method: "POST",
      path: /^\/ship\/v1\/openshipments\/?$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, ConfirmBody);
        if (!body) return refused;
        if (body.accountNumber.value !== account) return foreign(request);
        const open = find(standIn, body.index);
        if (!open) return unknown(request);
        const confirmed = fedexSales(standIn).find((sale) => sale.index === body.index && sale.at >= open.at);
        if (confirmed && repeatedConfirm === "refused") {
          return refuse(
            400,
            "OPENSHIPMENT.ALREADY.CONFIRMED",
            "The open shipment has been confirmed already.",
            request,
          );
        }
        const sale =
          confirmed ??
          recordSale(standIn, open.shipment, now(), {
            index: body.index,
            numbers: open.trackingNumbers,
            imageType: body.labelSpecification.imageType,
          });
        return reply(request, { transactionShipments: [shipmentReply(standIn, sale, body.labelResponseOptions)] });
      },
    },
    {
      // What was asked for, with the number that it got; never a label.
      name: "open_retrieve",
      method: "POST",
      path: /^\/ship\/v1\/openshipments\/retrieve$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, IndexBody);
        if (!body) return refused;
        if (body.accountNumber.value !== account) return foreign(request);
        const open = find(standIn, body.index);
        if (!open) return unknown(request);
        const masterTrackingId = { trackingIdType: "FEDEX", formId: "0201", trackingNumber: open.trackingNumbers[0] };
        return reply(request, { requestedShipment: { ...open.shipment, masterTrackingId } });
      },
    },
  ];
}
