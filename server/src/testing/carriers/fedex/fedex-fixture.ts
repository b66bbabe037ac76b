import type { Reply } from "../ask-stand-in.ts";
import { ask, textOf } from "../ask-stand-in.ts";
import type { FedexStandIn } from "./stand-in-fedex.ts";

/** Requests of one customer of FedEx, as its documents show them, with tokens that are fetched when needed. */
export function fedexFixture(fedex: FedexStandIn) {
  const tokens = new Map<string, string>();
  async function headers(project: "ship" | "track"): Promise<Record<string, string>> {
    if (!tokens.has(project)) tokens.set(project, textOf((await fedexToken(fedex, project)).body.access_token));
    return { authorization: `Bearer ${tokens.get(project)}`, "x-customer-transaction-id": "order-1" };
  }
  const send = async (
    method: string,
    where: string,
    json: unknown,
    project: "ship" | "track" = "ship",
  ): Promise<Reply> => ask(`${fedex.url}${where}`, { method, headers: await headers(project), json });
  const buy = async (shipment: object = {}, more: object = {}) => {
    const { body } = await send("POST", "/ship/v1/shipments", shipBody(fedex, shipment, more));
    return body.output!.transactionShipments![0]!;
  };
  return {
    headers,
    send,
    post: (where: string, json: unknown) => send("POST", where, json),
    put: (where: string, json: unknown) => send("PUT", where, json),
    track: (...numbers: string[]) =>
      send(
        "POST",
        "/track/v1/trackingnumbers",
        {
          includeDetailedScans: true,
          trackingInfo: numbers.map((trackingNumber) => ({ trackingNumberInfo: { trackingNumber } })),
        },
        "track",
      ),
    forgetTokens: (): void => tokens.clear(),
    buy,
    buyAs: async (reference: string): Promise<string> =>
      textOf((await buy({ requestedPackageLineItems: [fedexPackage(reference)] })).masterTrackingNumber),
  };
}

export async function fedexToken(fedex: FedexStandIn, project: "ship" | "track"): Promise<Reply> {
  const [client_id, client_secret] =
    project === "ship" ? [fedex.clientId, fedex.clientSecret] : [fedex.trackClientId, fedex.trackClientSecret];
  return ask(`${fedex.url}/oauth/token`, { form: { grant_type: "client_credentials", client_id, client_secret } });
}

export function fedexErrorCode({ body }: Reply): unknown {
  return body.errors![0]!.code;
}

export const fedexParty = (zip: string, address: object = {}, contact: object = {}) => ({
  address: {
    streetLines: ["1 Port Street"],
    city: "Newark",
    stateOrProvinceCode: "NJ",
    postalCode: zip,
    countryCode: "US",
    residential: false,
    ...address,
  },
  contact: { personName: "Ann", phoneNumber: "9735551234", ...contact },
});

export const fedexPackage = (reference: string, more: object = {}) => ({
  weight: { units: "LB", value: 5 },
  dimensions: { length: 10, width: 8, height: 4, units: "IN" },
  customerReferences: [{ customerReferenceType: "CUSTOMER_REFERENCE", value: reference }],
  ...more,
});

export const rateBody = (fedex: FedexStandIn, shipment: object = {}, more: object = {}) => ({
  accountNumber: { value: fedex.accountNumber },
  requestedShipment: {
    shipper: { address: { postalCode: "07102", countryCode: "US", stateOrProvinceCode: "NJ" } },
    recipient: { address: { postalCode: "90001", countryCode: "US", stateOrProvinceCode: "CA", residential: false } },
    pickupType: "DROPOFF_AT_FEDEX_LOCATION",
    rateRequestType: ["ACCOUNT", "LIST"],
    requestedPackageLineItems: [
      { weight: { units: "LB", value: 5 }, dimensions: { length: 10, width: 8, height: 4, units: "IN" } },
    ],
    ...shipment,
  },
  ...more,
});

const shipment = (more: object) => ({
  shipper: fedexParty("07102"),
  recipients: [fedexParty("90001")],
  pickupType: "USE_SCHEDULED_PICKUP",
  serviceType: "FEDEX_GROUND",
  packagingType: "YOUR_PACKAGING",
  shippingChargesPayment: { paymentType: "SENDER" },
  requestedPackageLineItems: [fedexPackage("key-1")],
  ...more,
});

export const shipBody = (fedex: FedexStandIn, more: object = {}, outer: object = {}) => ({
  accountNumber: { value: fedex.accountNumber },
  labelResponseOptions: "LABEL",
  requestedShipment: {
    ...shipment({}),
    totalWeight: 5,
    labelSpecification: { imageType: "PDF", labelStockType: "STOCK_4X6" },
    ...more,
  },
  ...outer,
});

export const openShipBody = (fedex: FedexStandIn, index: string, more: object = {}) => ({
  accountNumber: { value: fedex.accountNumber },
  index,
  requestedShipment: shipment(more),
});

export const confirmBody = (fedex: FedexStandIn, index: string, more: object = {}) => ({
  accountNumber: { value: fedex.accountNumber },
  index,
  labelResponseOptions: "LABEL",
  labelSpecification: { imageType: "ZPLII", labelStockType: "STOCK_4X6" },
  ...more,
});
