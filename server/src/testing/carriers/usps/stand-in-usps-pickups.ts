import { createHash } from "node:crypto";
import type { Static } from "typebox";
import { pdfLabel } from "../label-files.ts";
import type { CarrierReply, CarrierRequest, JournalEntry, Operation, StandIn } from "../stand-in-api.ts";
import { apiOf, multipart, readBody, refuse } from "./stand-in-usps-replies.ts";
import { PickupBody, PickupChangeBody, ScanFormBody } from "./stand-in-usps-requests.ts";
import { isCanceled, uspsSales } from "./stand-in-usps-sales.ts";

type Wanted = Static<typeof PickupBody>;
type UspsPickup = JournalEntry & { number: string; wanted: Wanted };

/** The last entry of a booking counts: each change is one more. */
function findPickup(standIn: StandIn, number: string): UspsPickup | undefined {
  if (standIn.journal("pickup_cancel").some((entry) => entry.number === number)) return undefined;
  const entries = [...standIn.journal("pickup"), ...standIn.journal("pickup_change")] as UspsPickup[];
  return entries.findLast((entry) => entry.number === number);
}

/** Changes with every change of the booking, so that a client with an outdated copy cannot overwrite it. */
function etagOf({ number, wanted }: UspsPickup): string {
  return `"${createHash("sha256")
    .update(JSON.stringify([number, wanted]))
    .digest("hex")
    .slice(0, 16)}"`;
}

function confirmation(pickup: UspsPickup): Record<string, unknown> {
  return {
    confirmationNumber: pickup.number,
    pickupDate: pickup.wanted.pickupDate,
    carrierPickupRequest: pickup.wanted,
  };
}

function addressKey({ pickupAddress: { address } }: Wanted): string {
  return [address.streetAddress, address.secondaryAddress ?? "", address.ZIPCode ?? ""].join("|").toUpperCase();
}

export function uspsPickups(now: () => Date): Operation[] {
  /** A carrier comes once a day, not on Sundays, and has to be asked until 2 o'clock Central time of the day. */
  function findObstacle(api: string, standIn: StandIn, wanted: Wanted, own?: string): CarrierReply | undefined {
    const { pickupDate, pickupAddress } = wanted;
    if (!pickupAddress.address.ZIPCode || pickupAddress.address.ZIPCode.startsWith("000")) {
      return refuse(400, api, "The address is not eligible for carrier pickup.", "pickupAddress.address.ZIPCode");
    }
    if (now().getTime() >= Date.parse(`${pickupDate}T08:00:00Z`)) {
      return refuse(400, api, "The pickup date must be in the future.", "pickupDate");
    }
    if (new Date(pickupDate).getUTCDay() === 0)
      return refuse(400, api, "There is no carrier pickup on Sundays.", "pickupDate");
    const numbers = new Set(standIn.journal("pickup").map((entry) => String(entry.number)));
    const taken = [...numbers]
      .map((number) => findPickup(standIn, number))
      .find(
        (one) =>
          one &&
          one.number !== own &&
          one.wanted.pickupDate === pickupDate &&
          addressKey(one.wanted) === addressKey(wanted),
      );
    return taken && refuse(400, api, "A pickup is already scheduled for this address and date.", "pickupDate");
  }

  /** The booking that a change is about, if the client has its latest state. */
  function findOwn(
    request: CarrierRequest,
    number: string,
    standIn: StandIn,
  ): { pickup: UspsPickup } | { refused: CarrierReply } {
    const pickup = findPickup(standIn, number);
    const api = apiOf(request);
    if (!pickup) return { refused: refuse(400, api, "The confirmation number was not found.", "confirmationNumber") };
    if (!request.headers["if-match"]) return { refused: refuse(400, api, "The header is required.", "If-Match") };
    if (request.headers["if-match"] !== etagOf(pickup))
      return { refused: refuse(412, api, "The pickup was changed.", "If-Match") };
    return { pickup };
  }

  return [
    {
      name: "pickup_eligibility",
      method: "GET",
      path: /^\/pickup\/v3\/carrier-pickup\/eligibility$/,
      answer(request) {
        const query = Object.fromEntries(request.url.searchParams);
        if (!query.streetAddress) return refuse(400, apiOf(request), "The parameter is required.", "streetAddress");
        if (!/^\d{5}$/.test(query.ZIPCode ?? "") || query.ZIPCode!.startsWith("000")) {
          return refuse(400, apiOf(request), "The address is not eligible for carrier pickup.", "ZIPCode");
        }
        const { streetAddress, secondaryAddress = "", city = "", state = "", ZIPCode } = query;
        return {
          status: 200,
          body: { address: { streetAddress: streetAddress.toUpperCase(), secondaryAddress, city, state, ZIPCode } },
        };
      },
    },
    {
      name: "pickup",
      method: "POST",
      path: /^\/pickup\/v3\/carrier-pickup$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, PickupBody);
        if (!body) return refused;
        const obstacle = findObstacle(apiOf(request), standIn, body);
        if (obstacle) return obstacle;
        const number = `WTC${String(standIn.journal("pickup").length + 1).padStart(9, "0")}`;
        const pickup: UspsPickup = { kind: "pickup", number, wanted: body };
        standIn.record(pickup);
        return { status: 200, headers: { etag: etagOf(pickup) }, body: confirmation(pickup) };
      },
    },
    {
      name: "pickup_read",
      method: "GET",
      path: /^\/pickup\/v3\/carrier-pickup\/(\w+)$/,
      answer(request, match, standIn) {
        const pickup = findPickup(standIn, match[1]!);
        if (!pickup) return refuse(400, apiOf(request), "The confirmation number was not found.", "confirmationNumber");
        // A list, unlike the answer to the booking.
        return { status: 200, headers: { etag: etagOf(pickup) }, body: [confirmation(pickup)] };
      },
    },
    {
      name: "pickup_change",
      method: "PUT",
      path: /^\/pickup\/v3\/carrier-pickup\/(\w+)$/,
      answer(request, match, standIn) {
        const { body, refused } = readBody(request, PickupChangeBody);
        if (!body) return refused;
        const own = findOwn(request, match[1]!, standIn);
        if ("refused" in own) return own.refused;
        const obstacle = findObstacle(apiOf(request), standIn, body.carrierPickupRequest, match[1]);
        if (obstacle) return obstacle;
        const changed: UspsPickup = { kind: "pickup_change", number: match[1]!, wanted: body.carrierPickupRequest };
        standIn.record(changed);
        return { status: 200, headers: { etag: etagOf(changed) }, body: confirmation(changed) };
      },
    },
    {
      name: "pickup_cancel",
      method: "DELETE",
      path: /^\/pickup\/v3\/carrier-pickup\/(\w+)$/,
      answer(request, match, standIn) {
        const own = findOwn(request, match[1]!, standIn);
        if ("refused" in own) return own.refused;
        standIn.record({ kind: "pickup_cancel", number: match[1]! });
        return { status: 200 };
      },
    },
  ];
}

/** A SCAN form: one barcode for many labels of one origin and one mailing date; a label is on one form only. */
export function uspsScanForms(now: () => Date): Operation[] {
  return [
    {
      name: "manifest",
      method: "POST",
      path: /^\/scan-forms\/v3\/scan-form$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, ScanFormBody);
        if (!body) return refused;
        const api = apiOf(request);
        const { trackingNumbers } = body.shipment;
        const listed = new Set(standIn.journal("manifest").flatMap((entry) => entry.trackingNumbers as string[]));
        for (const number of trackingNumbers) {
          const sale = uspsSales(standIn).find((one) => one.trackingNumber === number);
          const why = !sale
            ? "was not found"
            : isCanceled(standIn, number)
              ? "was canceled"
              : listed.has(number)
                ? "is on another SCAN form"
                : sale.from.zip !== body.fromAddress.ZIPCode
                  ? "has another origin"
                  : sale.mailingDate !== body.mailingDate && !body.overwriteMailingDate
                    ? "has another mailing date"
                    : undefined;
          if (why) return refuse(400, api, `The label ${number} ${why}.`, "shipment.trackingNumbers");
        }
        const manifestNumber = `9475038234567${String(standIn.journal("manifest").length + 1).padStart(9, "0")}`;
        standIn.record({ kind: "manifest", manifestNumber, trackingNumbers, at: now().toISOString() });
        const metadata = {
          form: "5630",
          imageType: body.imageType ?? "PDF",
          labelType: body.labelType ?? "8.5x11LABEL",
          mailingDate: body.mailingDate,
          overwriteMailingDate: body.overwriteMailingDate ?? false,
          entryFacilityZIPCode: body.entryFacilityZIPCode,
          destinationEntryFacilityType: body.destinationEntryFacilityType,
          shipment: body.shipment,
          fromAddress: body.fromAddress,
          manifestNumber,
          trackingNumbers,
        };
        const file = pdfLabel({
          carrier: "USPS",
          service: "SCAN form 5630",
          trackingNumber: manifestNumber,
          to: `${trackingNumbers.length} packages`,
        });
        const isOld = standIn.takeFault("old_part_names", "manifest");
        return multipart([
          {
            name: isOld ? "Scan Form Response" : "SCANFormMetaData",
            type: "application/json",
            content: JSON.stringify(metadata),
          },
          ...((body.imageType ?? "PDF") === "NONE"
            ? []
            : [
                {
                  name: isOld ? "label" : "SCANFormImage",
                  type: "application/pdf",
                  file: "label.pdf",
                  content: file.toString("base64"),
                },
              ]),
        ]);
      },
    },
  ];
}
