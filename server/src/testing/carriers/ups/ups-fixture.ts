import { ask, textOf } from "../ask-stand-in.ts";
import type { Reply } from "../ask-stand-in.ts";
import type { UpsStandIn } from "./stand-in-ups.ts";

/** Requests of one customer of UPS, as its documents show them, with a token that is fetched when needed. */
export function upsFixture(ups: UpsStandIn) {
  let token = "";
  async function headers(): Promise<Record<string, string>> {
    token ||= await upsToken(ups);
    return { authorization: `Bearer ${token}`, transId: "t-1", transactionSrc: "test" };
  }
  const post = async (where: string, json: unknown): Promise<Reply> =>
    ask(`${ups.url}${where}`, { headers: await headers(), json });
  const buy = async (shipment: object = {}, label?: object) => {
    const { body } = await post("/api/shipments/v2409/ship", shipBody(ups, shipment, label));
    return body.ShipmentResponse!.ShipmentResults!;
  };
  return {
    headers,
    post,
    get: async (where: string): Promise<Reply> => ask(`${ups.url}${where}`, { headers: await headers() }),
    erase: async (where: string, more: Record<string, string> = {}): Promise<Reply> =>
      ask(`${ups.url}${where}`, { method: "DELETE", headers: { ...(await headers()), ...more } }),
    forgetToken: (): void => void (token = ""),
    buy,
    buyAs: async (reference: string): Promise<string> => {
      const Package = packageWith({ ReferenceNumber: [{ Value: reference }] });
      return textOf((await buy({ Package })).ShipmentIdentificationNumber);
    },
  };
}

export async function upsToken(ups: UpsStandIn): Promise<string> {
  const basic = Buffer.from(`${ups.clientId}:${ups.clientSecret}`).toString("base64");
  const headers = { authorization: `Basic ${basic}` };
  const form = { grant_type: "client_credentials" };
  const { body } = await ask(`${ups.url}/security/v1/oauth/token`, { headers, form });
  return textOf(body.access_token);
}

export function upsErrorCode({ body }: Reply): unknown {
  return body.response!.errors![0]!.code;
}

export const upsAddress = (zip: string, more: object = {}) => ({
  AddressLine: ["1 Port Street"],
  City: "Newark",
  StateProvinceCode: "NJ",
  PostalCode: zip,
  CountryCode: "US",
  ...more,
});
export const upsUnit = (code: string) => ({ Code: code, Description: code });
export const rateBody = (ups: UpsStandIn, shipment: object = {}, request: object = {}) => ({
  RateRequest: {
    Request: { SubVersion: "2409", TransactionReference: { CustomerContext: "order 1" }, ...request },
    Shipment: {
      Shipper: { Name: "Hub", ShipperNumber: ups.accountNumber, Address: upsAddress("07102") },
      ShipTo: { Name: "Ann", Address: upsAddress("90001") },
      Service: { Code: "03" },
      Package: [
        {
          PackagingType: { Code: "02" },
          PackageWeight: { UnitOfMeasurement: upsUnit("LBS"), Weight: "5" },
          Dimensions: { UnitOfMeasurement: upsUnit("IN"), Length: "10", Width: "8", Height: "4" },
        },
      ],
      ShipmentRatingOptions: { NegotiatedRatesIndicator: "" },
      ...shipment,
    },
  },
});
export const shipBody = (
  ups: UpsStandIn,
  shipment: object = {},
  label: object = { LabelImageFormat: { Code: "GIF" } },
) => ({
  ShipmentRequest: {
    Request: { RequestOption: "nonvalidate", SubVersion: "2409" },
    Shipment: {
      Shipper: { Name: "Hub", ShipperNumber: ups.accountNumber, Address: upsAddress("07102") },
      ShipTo: { Name: "Ann", Address: upsAddress("90001") },
      PaymentInformation: { ShipmentCharge: [{ Type: "01", BillShipper: { AccountNumber: ups.accountNumber } }] },
      Service: { Code: "03" },
      Package: [
        {
          Packaging: { Code: "02" },
          PackageWeight: { UnitOfMeasurement: { Code: "LBS" }, Weight: "5" },
          ReferenceNumber: [{ Value: "key-1" }],
        },
      ],
      ShipmentRatingOptions: { NegotiatedRatesIndicator: "" },
      ...shipment,
    },
    LabelSpecification: label,
  },
});
export const packageWith = (more: object) => [
  { Packaging: { Code: "02" }, PackageWeight: { UnitOfMeasurement: { Code: "LBS" }, Weight: "5" }, ...more },
];
