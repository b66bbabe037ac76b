import { addBusinessDays } from "../stand-in-prices.ts";
import { pdfLabel } from "../label-files.ts";
import type { CarrierRequest, JournalEntry, Operation, StandIn } from "../stand-in-api.ts";
import {
  AddressBody,
  AvailabilityBody,
  CancelPickupBody,
  CloseBody,
  PickupBody,
} from "./stand-in-fedex-pickup-requests.ts";
import { readBody, refuse, reply } from "./stand-in-fedex-replies.ts";
import { fedexSales, isCancelled } from "./stand-in-fedex-sales.ts";

type FedexPickup = JournalEntry & { code: string; location: string; date: string; carrierCode: string };

const foreign = (request: CarrierRequest) =>
  refuse(400, "ACCOUNTNUMBER.REGISTRATION.REQUIRED", "Please enter a valid 9-digit FedEx account number.", request);

function findPickup(standIn: StandIn, code: string, date: string, carrierCode: string): FedexPickup | undefined {
  const pickups = standIn.journal("pickup") as FedexPickup[];
  return pickups.find((one) => one.code === code && one.date === date && one.carrierCode === carrierCode);
}

export function fedexPickups(account: string, today: () => string): Operation[] {
  return [
    {
      name: "pickup_availability",
      method: "POST",
      path: /^\/pickup\/v1\/pickups\/availabilities$/,
      answer(request) {
        const { body, refused } = readBody(request, AvailabilityBody);
        if (!body) return refused;
        if (!body.pickupAddress.postalCode)
          return refuse(400, "PICKUP.POSTALCODE.MISSING", "PostalCode is missing.", request);
        const day = body.dispatchDate ?? today();
        const options = body.carriers.flatMap((carrier) =>
          body.pickupRequestType.map((scheduleDay) => ({
            carrier,
            available: true,
            pickupDate: scheduleDay === "SAME_DAY" ? day : addBusinessDays(day, 1),
            // Local to the place: Express comes later in the day than Ground.
            cutOffTime: carrier === "FDXE" ? "16:00:00" : "14:00:00",
            accessTime: { hours: carrier === "FDXE" ? 1 : 2, minutes: 30 },
            residentialAvailable: carrier === "FDXE",
            countryRelationship: body.countryRelationship,
            scheduleDay,
            defaultReadyTime: "09:00:00",
            defaultLatestTimeOptions: "18:00:00",
            readyTimeOptions: ["09:00:00", "12:00:00"],
            latestTimeOptions: ["17:00:00", "18:00:00"],
          })),
        );
        return reply(request, { requestTimestamp: `${today()}T00:00:00Z`, options, alerts: [] });
      },
    },
    {
      name: "pickup",
      method: "POST",
      path: /^\/pickup\/v1\/pickups$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, PickupBody);
        if (!body) return refused;
        if (body.associatedAccountNumber.value !== account) return foreign(request);
        const { readyDateTimestamp, customerCloseTime, pickupLocation } = body.originDetail;
        if (!pickupLocation.address.postalCode)
          return refuse(400, "PICKUP.POSTALCODE.MISSING", "PostalCode is missing.", request);
        // Ends in Z and is local to the place all the same.
        const [date, time] = readyDateTimestamp.slice(0, -1).split("T") as [string, string];
        if (date < today()) {
          return refuse(
            400,
            "PICKUP.REQUESTED.PREVIOUS.DAY",
            "Cannot schedule a pickup requested for a previous day.",
            request,
          );
        }
        if (time >= customerCloseTime) {
          return refuse(400, "PICKUP.READYTIME.INVALID", "The ready time must be before the close time.", request);
        }
        const { carrierCode } = body;
        // Codes begin anew with each day, so that only the day and the carrier make them unique.
        const sameDay = (standIn.journal("pickup") as FedexPickup[]).filter((one) => one.date === date);
        const code = String(sameDay.filter((one) => one.carrierCode === carrierCode).length + 1);
        const location = carrierCode === "FDXE" ? `${pickupLocation.address.stateOrProvinceCode ?? "XX"}RA` : "";
        const pickup: FedexPickup = { kind: "pickup", code, location, date, carrierCode };
        standIn.record({ ...pickup, remarks: body.remarks ?? "" });
        const message = "Courier on the way";
        return reply(request, { pickupConfirmationCode: code, message, ...(location && { location }), alerts: [] });
      },
    },
    {
      name: "pickup_cancel",
      method: "PUT",
      path: /^\/pickup\/v1\/pickups\/cancel$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, CancelPickupBody);
        if (!body) return refused;
        if (body.associatedAccountNumber.value !== account) return foreign(request);
        const { pickupConfirmationCode: code, scheduledDate, carrierCode = "FDXE" } = body;
        if (carrierCode === "FDXE" && !body.location) {
          return refuse(400, "PICKUP.LOCATION.REQUIRED", "The location of an Express pickup is needed.", request);
        }
        if (scheduledDate < today()) {
          return refuse(400, "PICKUP.NUMBER.EXPIRED", "PREVIOUS DAY PICKUP, CANNOT CANCEL OR UPDATE", request);
        }
        const pickup = findPickup(standIn, code, scheduledDate, carrierCode);
        if (!pickup || (carrierCode === "FDXE" && pickup.location !== body.location)) {
          return refuse(400, "PICKUP.NUMBER.NOTFOUND", "The pickup confirmation number was not found.", request);
        }
        const isSame = (entry: JournalEntry): boolean =>
          entry.code === code && entry.date === scheduledDate && entry.carrierCode === carrierCode;
        if (standIn.journal("pickup_cancel").some(isSame)) {
          return refuse(400, "PICKUP.ALREADY.CANCELLED", "The pickup has been cancelled already.", request);
        }
        if (standIn.journal("pickup_dispatch").some(isSame)) {
          return refuse(
            400,
            "PICKUP.ALREADY.DISPATCHED",
            "The courier is on the way: the pickup cannot be cancelled.",
            request,
          );
        }
        standIn.record({ kind: "pickup_cancel", code, date: scheduledDate, carrierCode });
        const cancelConfirmationMessage = "Requested pickup has been cancelled Successfully.";
        return reply(request, { pickupConfirmationCode: code, cancelConfirmationMessage, alerts: [] });
      },
    },
  ];
}

/** ZIP codes that begin with 000 are not found; a line with APT is residential, one with PO BOX is a post office box. */
export function fedexAddresses(): Operation[] {
  return [
    {
      name: "address",
      method: "POST",
      path: /^\/address\/v1\/addresses\/resolve$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, AddressBody);
        if (!body) return refused;
        const asText = standIn.takeFault("attributes_as_text", "address");
        const flag = (value: boolean): boolean | string => (asText ? String(value) : value);
        const resolvedAddresses = body.addressesToValidate.map(({ address, clientReferenceId }) => {
          const lines = address.streetLines.map((line) => line.toUpperCase());
          const isFound = !address.postalCode.startsWith("000");
          const isHome = lines.some((line) => line.includes("APT"));
          const isBox = lines.some((line) => line.includes("PO BOX"));
          return {
            ...(clientReferenceId && { clientReferenceId }),
            streetLinesToken: lines,
            city: address.city.toUpperCase(),
            stateOrProvinceCode: address.stateOrProvinceCode ?? "",
            countryCode: address.countryCode ?? "US",
            customerMessage: [],
            cityToken: [{ changed: false, value: address.city.toUpperCase() }],
            postalCodeToken: { changed: false, value: address.postalCode },
            parsedPostalCode: {
              base: address.postalCode.slice(0, 5),
              addOn: isFound ? "0001" : "",
              deliveryPoint: "01",
            },
            classification: isFound ? (isHome ? "RESIDENTIAL" : "BUSINESS") : "UNKNOWN",
            postOfficeBox: isBox,
            normalizedStatusNameDPV: isFound,
            standardizedStatusNameMatchSource: "Postal",
            resolutionMethodName: "USPS_VALIDATE",
            ruralRouteHighwayContract: false,
            generalDelivery: false,
            attributes: {
              POBox: flag(isBox),
              DPV: flag(isFound),
              Matched: flag(isFound),
              Resolved: flag(isFound),
              CountrySupported: flag(true),
              ValidlyFormed: flag(true),
              MultipleMatches: flag(false),
              SuiteRequiredButMissing: flag(false),
              InvalidSuiteNumber: flag(false),
              AddressType: isFound ? "STANDARDIZED" : "RAW",
            },
          };
        });
        return reply(request, { resolvedAddresses, alerts: [] });
      },
    },
  ];
}

/** The end of the day of Ground: closes what was bought for that day; closed shipments cannot be cancelled. */
export function fedexEndOfDay(account: string, today: () => string): Operation[] {
  const documents = (types: string[], numbers: string[], cycle: string) =>
    types.map((type) => ({
      type,
      shippingCycle: cycle,
      shippingDocumentDisposition: "RETURNED",
      accessReference: "",
      resolution: 200,
      copiesToPrint: 1,
      parts: [
        {
          documentPartSequenceNumber: 1,
          image: pdfLabel({
            carrier: "FedEx Ground",
            service: type,
            trackingNumber: numbers[0] ?? "",
            to: `${numbers.length} packages`,
          }).toString("base64"),
        },
      ],
    }));
  return [
    {
      name: "manifest",
      method: "PUT",
      path: /^\/ship\/v1\/endofday\/?$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, CloseBody);
        if (!body) return refused;
        if (body.accountNumber.value !== account) return foreign(request);
        if (body.closeReqType !== "GCDR")
          return refuse(400, "CLOSE.TYPE.INVALID", "The close request type must be GCDR.", request);
        const day = body.closeDate ?? today();
        if (day < today()) return refuse(400, "AVAILABILITY.SHIP.DATE.INVALID", "Ship date is invalid.", request);
        const closed = new Set(standIn.journal("manifest").flatMap((entry) => entry.trackingNumbers as string[]));
        const numbers = fedexSales(standIn)
          .filter((sale) => sale.carrierCode === "FDXG" && sale.shipDay <= day && !isCancelled(standIn, sale))
          .flatMap((sale) => sale.trackingNumbers)
          .filter((number) => !closed.has(number));
        if (numbers.length === 0) {
          const alert = { code: "CLOSE.NO.SHIPMENTS", alertType: "NOTE", message: "There are no shipments to close." };
          return reply(request, { alerts: [alert], closeDocuments: [] });
        }
        const cycle = `${day.replaceAll("-", "")}-${standIn.journal("manifest").length + 1}`;
        standIn.record({ kind: "manifest", date: day, cycle, trackingNumbers: numbers });
        const types = body.closeDocumentSpecification?.closeDocumentTypes ?? ["MANIFEST"];
        return reply(request, { closeDocuments: documents(types, numbers, cycle), alerts: [] });
      },
    },
    {
      name: "manifest_reprint",
      method: "POST",
      path: /^\/ship\/v1\/endofday\/?$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, CloseBody);
        if (!body) return refused;
        if (body.accountNumber.value !== account) return foreign(request);
        if (body.closeReqType !== "RGCDR" || !body.reprintOption) {
          return refuse(
            400,
            "CLOSE.TYPE.INVALID",
            "A reprint needs the close request type RGCDR and a reprint option.",
            request,
          );
        }
        const found = standIn
          .journal("manifest")
          .filter(({ date, trackingNumbers }) =>
            body.reprintOption === "BY_SHIP_DATE"
              ? date === body.closeDate
              : (trackingNumbers as string[]).includes(body.trackingNumber ?? ""),
          );
        if (found.length === 0)
          return refuse(404, "NOT.FOUND.ERROR", "The resource you requested is no longer available.", request);
        const types = body.closeDocumentSpecification?.closeDocumentTypes ?? ["MANIFEST"];
        return reply(request, {
          closeDocuments: found.flatMap(({ trackingNumbers, cycle }) =>
            documents(types, trackingNumbers as string[], String(cycle)),
          ),
          alerts: [],
        });
      },
    },
  ];
}
