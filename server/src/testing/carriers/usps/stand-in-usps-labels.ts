import { createHash } from "node:crypto";
import type { CarrierReply, CarrierRequest, Operation, StandIn } from "../stand-in-api.ts";
import { uspsClasses } from "./stand-in-usps-prices.ts";
import { apiOf, readBody, refuse } from "./stand-in-usps-replies.ts";
import { LabelBody, ReprintBody } from "./stand-in-usps-requests.ts";
import type { LabelRequest, UspsSale } from "./stand-in-usps-sales.ts";
import { isCanceled, isManifested, labelReply, sell, uspsSales } from "./stand-in-usps-sales.ts";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The header, "" when there is none, undefined when it is no UUID. */
function keyOf(request: CarrierRequest): string | undefined {
  const key = request.headers["x-idempotency-key"];
  if (key === undefined) return "";
  return typeof key === "string" && uuidPattern.test(key) ? key.toLowerCase() : undefined;
}

function findObstacle(api: string, body: LabelRequest, today: string): CarrierReply | undefined {
  for (const name of ["toAddress", "fromAddress"] as const) {
    const { firstName, lastName, firm } = body[name];
    if (!(firstName && lastName) && !firm) {
      return refuse(400, api, "Either the first and last name or the firm is required.", `${name}.firstName`);
    }
  }
  const { mailingDate, weight, mailClass } = body.packageDescription;
  const day = mailingDate.slice(0, 10);
  if (day < today)
    return refuse(400, api, "The mailing date must not be in the past.", "packageDescription.mailingDate");
  if (Date.parse(day) > Date.parse(today) + 7 * 86_400_000) {
    return refuse(400, api, "The mailing date must be within 7 days.", "packageDescription.mailingDate");
  }
  if (weight <= 0 || weight > 70)
    return refuse(400, api, "The weight must be more than 0 and at most 70 pounds.", "packageDescription.weight");
  if (!uspsClasses.some(({ code }) => code === mailClass)) {
    return refuse(400, api, "The mail class is not available for this shipment.", "packageDescription.mailClass");
  }
  if (!supportedImages.includes(body.imageInfo?.imageType ?? "PDF")) {
    return refuse(400, api, "The stand-in has no files of this type.", "imageInfo.imageType");
  }
  return undefined;
}

const supportedImages = ["PDF", "PNG", "GIF", "ZPL203DPI", "ZPL300DPI", "NONE"];

export function uspsLabels(
  now: () => Date,
  findPaymentProblem: (request: CarrierRequest, operation: string) => CarrierReply | undefined,
): Operation[] {
  const today = (): string => now().toISOString().slice(0, 10);
  const find = (standIn: StandIn, request: CarrierRequest, number: string | undefined): UspsSale | undefined => {
    const key = keyOf(request);
    return uspsSales(standIn).find((sale) =>
      number ? sale.trackingNumber === number : Boolean(key) && sale.key === key,
    );
  };

  function cancel(request: CarrierRequest, number: string | undefined, standIn: StandIn): CarrierReply {
    const unpaid = findPaymentProblem(request, "void");
    if (unpaid) return unpaid;
    const api = apiOf(request);
    const sale = find(standIn, request, number);
    const parameter = number ? "trackingNumber" : "X-Idempotency-Key";
    if (!sale) return refuse(400, api, "Order not found", parameter);
    const { trackingNumber } = sale;
    if (isCanceled(standIn, trackingNumber)) return refuse(400, api, "Order cannot be canceled", parameter);
    const at = now().toISOString();
    if (!isManifested(standIn, sale, now())) {
      standIn.record({ kind: "void", trackingNumber, at });
      return { status: 200, body: { trackingNumber, status: "CANCELED" } };
    }
    const isUsed = standIn.journal("scan").some((entry) => entry.trackingNumber === trackingNumber);
    if (isUsed || standIn.takeFault("refund_refused", "void")) {
      return refuse(400, api, "A refund request for this order cannot be submitted", parameter);
    }
    const isSameDay = standIn
      .journal("refund")
      .some((entry) => entry.trackingNumber === trackingNumber && entry.day === today());
    if (isSameDay)
      return refuse(400, api, "A refund request for this order has already been submitted today", parameter);
    // One number a day for all requests of a customer.
    const disputeId = String(100_000 + Math.floor(now().getTime() / 86_400_000));
    standIn.record({ kind: "refund", trackingNumber, disputeId, day: today(), at });
    return { status: 200, body: { trackingNumber, status: "DISPUTED", disputeId } };
  }

  function reprint(request: CarrierRequest, number: string | undefined, standIn: StandIn): CarrierReply {
    const unpaid = findPaymentProblem(request, "reprint");
    if (unpaid) return unpaid;
    const { body, refused } = readBody(request, ReprintBody);
    if (!body) return refused;
    const sale = find(standIn, request, number);
    const api = apiOf(request);
    if (number === undefined && !sale) {
      const detail = "Idempotency-Key not found for a mailing date within the last 7 days";
      return refuse(400, api, detail, "X-Idempotency-Key", "160412");
    }
    if (!sale || isCanceled(standIn, sale.trackingNumber)) return refuse(400, api, "Order not found", "trackingNumber");
    if (sale.mailingDate < today()) {
      const detail = `Label is unavailable for reprint past its mailingDate of ${sale.mailingDate}`;
      return refuse(400, api, detail, "trackingNumber", "160981");
    }
    const imageType = body.imageInfo?.imageType ?? "PDF";
    if (!supportedImages.includes(imageType))
      return refuse(400, api, "The stand-in has no files of this type.", "imageInfo.imageType");
    const reprintNumber =
      standIn.journal("reprint").filter((entry) => entry.trackingNumber === sale.trackingNumber).length + 1;
    if (reprintNumber > 3) return refuse(400, api, "Labels can only be reprinted up to 3 times.", "trackingNumber");
    standIn.record({ kind: "reprint", trackingNumber: sale.trackingNumber });
    return labelReply(standIn, request, sale, { imageType, reprint: { reprintNumber, reprintLimit: 3 } });
  }

  return [
    {
      name: "buy",
      method: "POST",
      path: /^\/labels\/v3\/(?:return-)?label$/,
      answer(request, _match, standIn) {
        const unpaid = findPaymentProblem(request, "buy");
        if (unpaid) return unpaid;
        const { body, refused } = readBody(request, LabelBody);
        if (!body) return refused;
        const api = apiOf(request);
        const key = keyOf(request);
        if (key === undefined) return refuse(400, api, "The idempotency key must be a UUID.", "X-Idempotency-Key");
        const digest = createHash("sha256").update(JSON.stringify(body)).digest("hex");
        const known = key ? uspsSales(standIn).find((sale) => sale.key === key) : undefined;
        if (known && known.digest !== digest) {
          return refuse(400, api, "The idempotency key was used with another request.", "X-Idempotency-Key");
        }
        if (known && isCanceled(standIn, known.trackingNumber)) {
          return refuse(400, api, "The label of this idempotency key was canceled.", "X-Idempotency-Key");
        }
        if (known) return labelReply(standIn, request, known, { imageType: known.imageType });
        const obstacle = findObstacle(api, body, today());
        if (obstacle) return obstacle;
        if (standIn.takeFault("insufficient_funds", "buy")) {
          return refuse(
            400,
            api,
            "The payment account does not have sufficient funds.",
            "X-Payment-Authorization-Token",
          );
        }
        const sale = sell(standIn, body, key, digest, now());
        return labelReply(standIn, request, sale, { imageType: sale.imageType });
      },
    },
    {
      name: "void",
      method: "DELETE",
      path: /^\/labels\/v3\/label$/,
      answer: (request, _match, standIn) => cancel(request, undefined, standIn),
    },
    {
      name: "void",
      method: "DELETE",
      path: /^\/labels\/v3\/label\/(\w+)$/,
      answer: (request, match, standIn) => cancel(request, match[1], standIn),
    },
    {
      name: "reprint",
      method: "POST",
      path: /^\/labels\/v3\/label-reprint$/,
      answer: (request, _match, standIn) => reprint(request, undefined, standIn),
    },
    {
      name: "reprint",
      method: "POST",
      path: /^\/labels\/v3\/label-reprint\/(\w+)$/,
      answer: (request, match, standIn) => reprint(request, match[1], standIn),
    },
  ];
}
