import { Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Matching, Text, unread } from "../request-rules.ts";
import type { CarrierReply, JournalEntry, Operation, StandIn } from "../stand-in-api.ts";
import { decimalText } from "../stand-in-prices.ts";
import { readBody, refuse, success } from "./stand-in-ups-replies.ts";
import { PickupBody } from "./stand-in-ups-requests.ts";

type UpsPickup = JournalEntry & { prn: string; date: string; reference: string; contact: string };

export const pickupCharges = { baseCents: 650, residentialCents: 250 };

/** Codes of an on-call pickup; the last one in the journal counts. */
const pickupTexts: Record<string, string> = {
  "001": "Received at dispatch",
  "002": "Dispatched to driver",
  "003": "Order successfully completed",
  "004": "Order unsuccessfully completed",
  "007": "Cancelled",
  "012": "Your pickup request is being processed",
};

function statusOf(standIn: StandIn, prn: string): string {
  if (standIn.journal("pickup_cancel").some((entry) => entry.prn === prn)) return "007";
  const last = standIn.journal("pickup_status").findLast((entry) => entry.prn === prn);
  return last ? String(last.code) : "012";
}

export function upsPickups(account: string, today: () => string): Operation[] {
  return [
    {
      name: "pickup",
      method: "POST",
      path: /^\/api\/pickupcreation\/v(\d{1,4})\/pickup$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, PickupBody);
        if (!body) return refused;
        const pickup = body.PickupCreationRequest;
        const { PickupDate, ReadyTime, CloseTime } = pickup.PickupDateInfo;
        const date = `${PickupDate.slice(0, 4)}-${PickupDate.slice(4, 6)}-${PickupDate.slice(6)}`;
        const isDay = !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date);
        if (!isDay || date < today()) return refuse(400, "9560131", "Invalid pickup date");
        if (ReadyTime >= CloseTime) return refuse(400, "9510117", "The ready time must be before the close time.");
        if (pickup.PaymentMethod === "01" && pickup.Shipper?.Account?.AccountNumber !== account) {
          return refuse(400, "9500518", "The account number is missing or not authorized.");
        }
        if (
          pickup.PickupAddress.CountryCode === "US" &&
          !(pickup.PickupAddress.PostalCode && pickup.PickupAddress.StateProvince)
        ) {
          return refuse(
            400,
            "20007",
            "Missing Required field, PickupCreationRequest/PickupAddress/PostalCode or StateProvince.",
          );
        }
        // A second request for the same day is a second driver: UPS has no key for pickups.
        const prn = `29${String(standIn.journal("pickup").length + 1).padStart(4, "0")}ABCDE`;
        const isResidential = pickup.PickupAddress.ResidentialIndicator === "Y";
        const cents = pickupCharges.baseCents + (isResidential ? pickupCharges.residentialCents : 0);
        const entry: UpsPickup = {
          kind: "pickup",
          prn,
          date: PickupDate,
          reference: pickup.ReferenceNumber ?? "",
          contact: pickup.PickupAddress.ContactName,
        };
        standIn.record({ ...entry, cents });
        const charge = (code: string, description: string, amount: number) => ({
          ChargeCode: code,
          ChargeDescription: description,
          ChargeAmount: decimalText(amount),
          TaxAmount: "0.00",
        });
        const isRated = pickup.RatePickupIndicator === "Y";
        return {
          status: 200,
          body: {
            PickupCreationResponse: {
              Response: success(pickup.Request?.TransactionReference?.CustomerContext),
              PRN: prn,
              RateStatus: isRated
                ? { Code: "01", Description: "Rate available" }
                : { Code: "02", Description: "Rating not requested" },
              ...(isRated && {
                RateResult: {
                  RateType: date === today() ? "SD" : "FD",
                  CurrencyCode: "USD",
                  ChargeDetail: [
                    charge("B", "BASE CHARGE", pickupCharges.baseCents),
                    ...(isResidential ? [charge("S", "RESIDENTIAL SURCHARGE", pickupCharges.residentialCents)] : []),
                  ],
                  GrandTotalOfAllCharge: decimalText(cents),
                },
              }),
            },
          },
        };
      },
    },
    {
      name: "pickup_cancel",
      method: "DELETE",
      path: /^\/api\/shipments\/v(\d{1,4})\/pickup\/(\w+)$/,
      answer(request, match, standIn): CarrierReply {
        if (!["01", "02"].includes(match[2]!))
          return refuse(400, "20008", "The field, CancelBy, contains invalid data: 01 or 02.");
        const { prn } = request.headers;
        if (match[2] === "02" && !prn) return refuse(400, "20007", "Missing Required field, Prn.");
        const pickup = standIn.journal("pickup").find((entry) => entry.prn === prn);
        if (!pickup) return refuse(400, "9510112", "The pickup request number is unknown.");
        const status = statusOf(standIn, String(prn));
        if (status === "007") return refuse(400, "9510113", "The pickup request has already been cancelled.");
        if (["002", "003"].includes(status)) {
          return refuse(400, "9510114", "The pickup request can no longer be cancelled: the driver has it.");
        }
        standIn.record({ kind: "pickup_cancel", prn: String(prn) });
        return { status: 200, body: { PickupCancelResponse: { Response: success(), PickupType: "01" } } };
      },
    },
    {
      name: "pickup_pending",
      method: "GET",
      path: /^\/api\/shipments\/v(\d{1,4})\/pickup\/(oncall|smart|both)$/,
      answer(request, match, standIn) {
        if (!request.headers.accountnumber) return refuse(400, "20007", "Missing Required field, AccountNumber.");
        if (request.headers.accountnumber !== account)
          return refuse(400, "9500518", "The account number is missing or not authorized.");
        const pickups = match[2] === "smart" ? [] : (standIn.journal("pickup") as UpsPickup[]);
        const pending = pickups.map(({ prn, date, reference, contact }) => ({
          PickupType: "01",
          ServiceDate: date,
          PRN: prn,
          OnCallStatusCode: statusOf(standIn, prn),
          PickupStatusMessage: pickupTexts[statusOf(standIn, prn)] ?? "Unknown",
          BillingCode: "01",
          ContactName: contact,
          ...(reference && { ReferenceNumber: reference }),
        }));
        return { status: 200, body: { PickupPendingStatusResponse: { Response: success(), PendingStatus: pending } } };
      },
    },
  ];
}

const AddressBody = Strict({
  XAVRequest: Strict({
    AddressKeyFormat: Strict({
      AddressLine: Type.Optional(Type.Array(Text(1, 100), { minItems: 1, maxItems: 3 })),
      PoliticalDivision2: Type.Optional(Text(1, 30)),
      PoliticalDivision1: Type.Optional(Text(1, 30)),
      PostcodePrimaryLow: Type.Optional(Text(1, 10)),
      PostcodeExtendedLow: Type.Optional(Text(1, 10)),
      CountryCode: Matching("^[A-Z]{2}$"),
      ...unread("ConsigneeName", "AttentionName", "BuildingName", "Region", "Urbanization"),
    }),
    ...unread("Request"),
  }),
});

/** ZIP codes that begin with 000 do not exist; a line with AMBIGUOUS matches two addresses, one with APT is residential. */
export function upsAddresses(): Operation[] {
  return [
    {
      name: "address",
      method: "POST",
      path: /^\/api\/addressvalidation\/v(\d{1,4})\/([^/]+)$/,
      answer(request, match, standIn) {
        if (!["1", "2", "3"].includes(match[2]!))
          return refuse(400, "264001", "The request option is invalid: 1, 2 or 3.");
        const { body, refused } = readBody(request, AddressBody);
        if (!body) return refused;
        const given = body.XAVRequest.AddressKeyFormat;
        if (!["US", "PR"].includes(given.CountryCode))
          return refuse(400, "264002", "Country code is invalid or missing.");
        const lines = (given.AddressLine ?? []).map((line) => line.toUpperCase());
        const isHome = lines.some((line) => line.includes("APT"));
        const classification = isHome
          ? { Code: "2", Description: "Residential" }
          : { Code: "1", Description: "Commercial" };
        const candidate = (extension: string) => ({
          ...(match[2] !== "1" && { AddressClassification: classification }),
          AddressKeyFormat: {
            AddressLine: lines,
            PoliticalDivision2: (given.PoliticalDivision2 ?? "").toUpperCase(),
            PoliticalDivision1: (given.PoliticalDivision1 ?? "").toUpperCase(),
            PostcodePrimaryLow: (given.PostcodePrimaryLow ?? "").slice(0, 5),
            PostcodeExtendedLow: extension,
            Region:
              `${given.PoliticalDivision2 ?? ""} ${given.PoliticalDivision1 ?? ""} ${given.PostcodePrimaryLow ?? ""}`.toUpperCase(),
            CountryCode: given.CountryCode,
          },
        });
        const unknown = !given.PostcodePrimaryLow || given.PostcodePrimaryLow.startsWith("000") || lines.length === 0;
        const isAmbiguous = lines.some((line) => line.includes("AMBIGUOUS"));
        const candidates = isAmbiguous ? [candidate("0001"), candidate("0002")] : [candidate("0001")];
        const isSingle = standIn.takeFault("single_object", "address") && candidates.length === 1;
        return {
          status: 200,
          body: {
            XAVResponse: {
              Response: success(),
              ...(unknown
                ? { NoCandidatesIndicator: "" }
                : {
                    ...(isAmbiguous ? { AmbiguousAddressIndicator: "" } : { ValidAddressIndicator: "" }),
                    ...(match[2] !== "1" && { AddressClassification: classification }),
                    Candidate: isSingle ? candidates[0] : candidates,
                  }),
            },
          },
        };
      },
    },
  ];
}
