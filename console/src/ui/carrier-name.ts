import { sentence } from "./format.ts";

/** Orders, labels and shipments have the key of the carrier in the hub, or what the shop wrote. */
const names: Record<string, string> = {
  ups: "UPS",
  usps: "USPS",
  fedex: "FedEx",
  dhl: "DHL",
  easypost: "EasyPost",
  shipengine: "ShipEngine",
};

export const carrierName = (carrier: string): string =>
  names[carrier] ?? (carrier === carrier.toLowerCase() ? sentence(carrier) : carrier);

/** "Nat ground" for a code such as "NAT_GROUND"; names that people or shops wrote stay as they are. */
export const serviceName = (service: string): string =>
  /^[A-Z0-9]+(_[A-Z0-9]+)+$/.test(service) ? sentence(service) : service;

/** "UPS, ground". Empty without either. */
export const carrierAndService = (carrier: string | null | undefined, service: string | null | undefined): string =>
  [carrier && carrierName(carrier), service && serviceName(service)].filter(Boolean).join(", ");
