import type { CarrierReply, CarrierRequest, Operation } from "../stand-in-api.ts";
import { findShippingObstacle } from "./stand-in-fedex-prices.ts";
import { readBody, refuse, reply } from "./stand-in-fedex-replies.ts";
import { CancelBody, ResultsBody, ShipBody } from "./stand-in-fedex-requests.ts";
import { fedexSales, isCancelled, labelImage, newNumbers, recordSale, shipmentReply } from "./stand-in-fedex-sales.ts";

export function fedexShipping(account: string, now: () => Date): Operation[] {
  const foreign = (request: CarrierRequest): CarrierReply =>
    refuse(
      400,
      "ACCOUNTNUMBER.REGISTRATION.REQUIRED",
      "Please enter a valid 9-digit FedEx account number or register for a new FedEx account number.",
      request,
    );
  return [
    {
      name: "buy",
      method: "POST",
      path: /^\/ship\/v1\/shipments$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, ShipBody);
        if (!body) return refused;
        if (body.accountNumber.value !== account) return foreign(request);
        const shipment = body.requestedShipment;
        const obstacle = findShippingObstacle(shipment, request);
        if (obstacle) return obstacle;
        const isMany = newNumbers(standIn, shipment).length > 40;
        if (isMany && body.processingOptionType !== "ALLOW_ASYNCHRONOUS") {
          return refuse(400, "PACKAGE.COUNT.EXCEEDED", "More than 40 packages need asynchronous processing.", request);
        }
        const jobId = isMany ? `job${fedexSales(standIn).length + 1}` : "";
        const sale = recordSale(standIn, shipment, now(), { jobId, imageType: shipment.labelSpecification.imageType });
        if (isMany) return reply(request, { jobId, transactionShipments: [] });
        return reply(request, { transactionShipments: [shipmentReply(standIn, sale, body.labelResponseOptions)] });
      },
    },
    {
      name: "results",
      method: "POST",
      path: /^\/ship\/v1\/shipments\/results$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, ResultsBody);
        if (!body) return refused;
        const sale = fedexSales(standIn).find(({ jobId }) => jobId === body.jobId);
        if (!sale) return refuse(404, "NOT.FOUND.ERROR", "The resource you requested is no longer available.", request);
        return reply(request, {
          resultsAvailable: true,
          transactionShipments: [shipmentReply(standIn, sale, "LABEL")],
        });
      },
    },
    {
      name: "void",
      method: "PUT",
      path: /^\/ship\/v1\/shipments\/cancel$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, CancelBody);
        if (!body) return refused;
        if (body.accountNumber.value !== account) {
          return refuse(
            400,
            "SHIPMENT.USER.UNAUTHORIZED",
            "Requested user is not authorized to perform the operation.",
            request,
          );
        }
        const sale = fedexSales(standIn).find((one) => one.trackingNumbers.includes(body.trackingNumber));
        if (!sale) {
          const message = "Error with entered Tracking Number. Please verify the entered Tracking Number.";
          return refuse(400, "TRACKINGNUMBER.ENTERED.INVALID", message, request);
        }
        if (isCancelled(standIn, sale)) {
          return refuse(400, "SHIPMENT.ALREADY.CANCELLED", "The shipment has already been cancelled.", request);
        }
        const isTendered = standIn
          .journal("scan")
          .some((entry) => sale.trackingNumbers.includes(String(entry.trackingNumber)));
        const isClosed = standIn
          .journal("manifest")
          .some((entry) => (entry.trackingNumbers as string[]).includes(sale.masterNumber));
        if (isTendered || isClosed || standIn.takeFault("cancel_false_in_200", "void")) {
          const alert = {
            code: "SHIPMENT.DELETION.FAILED",
            alertType: "WARNING",
            message: "The shipment was tendered or closed.",
          };
          return reply(request, { cancelledShipment: false, cancelledHistory: false, alerts: [alert] });
        }
        standIn.record({
          kind: "void",
          masterNumber: sale.masterNumber,
          trackingNumbers: sale.trackingNumbers,
          at: now().toISOString(),
        });
        return reply(request, {
          cancelledShipment: true,
          cancelledHistory: true,
          successMessage: "Success",
          alerts: [],
        });
      },
    },
    {
      // Files are on another host, which must not receive the token.
      name: "document",
      method: "GET",
      path: /^\/document\/v2\/document\/retrieve\/SH,(\d+)_SHIPPING_P\/isLabel=true&autoPrint=false$/,
      answer(request, match, standIn) {
        if (request.headers.authorization)
          return { status: 400, headers: { "content-type": "text/plain" }, body: "Bad Request" };
        const sale = fedexSales(standIn).find((one) => one.trackingNumbers.includes(match[1]!));
        if (!sale) return { status: 404, headers: { "content-type": "text/plain" }, body: "Not Found" };
        const types: Record<string, string> = { PDF: "application/pdf", PNG: "image/png" };
        const type = types[sale.imageType] ?? "application/octet-stream";
        return { status: 200, headers: { "content-type": type }, body: labelImage(sale, match[1]!) };
      },
    },
  ];
}
