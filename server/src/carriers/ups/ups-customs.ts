import type { LabelRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { compactDay } from "../seam/local-time.ts";
import { notSupported } from "../seam/option-checks.ts";
import type { Json } from "../seam/read.ts";
import type { Customs } from "../seam/ship-options.ts";
import { partyOf } from "./ups-parties.ts";

const reasons: Record<Exclude<Customs["contents"], "other" | "documents">, string> = {
  merchandise: "SALE",
  gift: "GIFT",
  sample: "SAMPLE",
  returned_goods: "RETURN",
};

/** The commercial invoice that UPS makes and sends ahead. */
export function invoiceOf(request: LabelRequest, customs: Customs): Json {
  if (customs.nonDelivery === "abandon")
    throw notSupported("UPS", "customs.nonDelivery abandon", "Undeliverable parcels come back.");
  const { contents, explanation, items, incoterm, exemption } = customs;
  const reason = contents === "other" || contents === "documents" ? explanation : reasons[contents];
  const { Name, AttentionName, Phone, EMailAddress, Address } = partyOf(request.to, "recipient", "label");
  return {
    FormType: ["01"],
    InvoiceNumber: (request.reference ?? request.options.references?.[0] ?? "").slice(0, 35),
    InvoiceDate: compactDay(request.shipDate),
    // DDU is the older name of DAP, and UPS prints only DAP.
    TermsOfShipment: incoterm === "DDP" ? "DDP" : "DAP",
    ReasonForExport: (reason ?? "OTHER").slice(0, 20),
    ...(exemption === undefined ? {} : { Comments: exemption }),
    CurrencyCode: currencyOf(customs),
    Contacts: { SoldTo: { Name, AttentionName, Phone, EMailAddress, Address } },
    Product: items.map((item) => ({
      Description: wrapDescription(item.description),
      Unit: {
        Number: String(item.quantity),
        UnitOfMeasurement: { Code: "PCS" },
        Value: item.value.amount.toFixed(2),
      },
      ...(item.hsCode === undefined ? {} : { CommodityCode: item.hsCode }),
      ...(item.originCountryCode === undefined ? {} : { OriginCountryCode: item.originCountryCode }),
      NumberOfPackagesPerCommodity: "1",
    })),
    DeclarationStatement: "The information on this invoice is true and correct.",
  };
}

/** Up to three lines of 35 characters. */
function wrapDescription(text: string): string[] {
  return [text.slice(0, 35), text.slice(35, 70), text.slice(70, 105)].filter((line) => line.trim() !== "");
}

function currencyOf({ items }: Customs): string {
  const currencies = [...new Set(items.map((item) => item.value.currency))];
  if (currencies.length > 1)
    throw new RemoteError("rejected", `The customs items have several currencies (${currencies.join(", ")}). Use one.`);
  return currencies[0] ?? "USD";
}

/** Total value of the goods, which UPS wants to know for shipments from the US to Canada and Puerto Rico. */
export function invoiceTotal(customs: Customs): Json {
  const cents = customs.items.reduce((sum, item) => sum + Math.round(item.value.amount * 100) * item.quantity, 0);
  return { CurrencyCode: currencyOf(customs), MonetaryValue: String(Math.max(Math.ceil(cents / 100), 1)) };
}

/** Tax numbers of sender and receiver. */
export function taxInformation({ taxIds = [] }: Customs): Json {
  if (taxIds.length === 0) return {};
  const parties = ["sender", "receiver"] as const;
  const agents = parties.flatMap((party) => {
    const own = taxIds.filter((taxId) => (taxId.party ?? "sender") === party);
    if (own.length === 0) return [];
    return [
      {
        AgentRole: party === "sender" ? "20" : "30",
        TaxIdentificationNumber: own.map(({ type, number, countryCode }) => ({
          IdentificationNumber: number,
          IDNumberCustomerRole: party === "sender" ? "06" : "05",
          IDNumberEncryptionIndicator: "0",
          IDNumberIssuingCntryCd: countryCode,
          IDNumberPurposeCode: type === "EORI" ? "02" : "01",
          IDNumberTypeCode: type === "EORI" ? "0002" : party === "receiver" ? "1002" : "0001",
        })),
      },
    ];
  });
  return { GlobalTaxInformation: { AgentTaxIdentificationNumber: agents } };
}
