import type { LabelRequest, RateRequest } from "../carrier.ts";
import type { SoldLabel } from "../labels.ts";
import type { PickupRequest } from "../pickups.ts";

export const warehouse = {
  name: "Warehouse East",
  company: "Byron Goods",
  address1: "12 Mill Road",
  city: "Edison",
  provinceCode: "NJ",
  zip: "08817",
  countryCode: "US",
  phone: "5550100",
  email: "dock@byron.example",
};
export const customer = {
  name: "Ada Byron",
  address1: "7 Lake Street",
  address2: "Apt 3",
  city: "Chicago",
  provinceCode: "IL",
  zip: "60614",
  countryCode: "US",
};
const parcel: RateRequest["parcels"][number] = {
  weight: { value: 15.4, unit: "oz" },
  dimensions: { length: 10, width: 8, height: 4, unit: "in" },
};

export function rateRequest(changes: Partial<RateRequest> = {}): RateRequest {
  return { from: warehouse, to: customer, parcels: [parcel], options: {}, shipDate: "2026-03-02", ...changes };
}

export function labelRequest(service: string, changes: Partial<LabelRequest> = {}): LabelRequest {
  return { ...rateRequest(), service, reference: "Order 1001", ...changes };
}

export function soldLabel(changes: Partial<SoldLabel> = {}): SoldLabel {
  const trackingNumber = changes.trackingNumbers?.[0] ?? "9400100000000000000017";
  const [trackingNumbers, purchasedAt] = [[trackingNumber], "2026-03-02T15:00:00Z"];
  return { trackingNumber, trackingNumbers, service: "USPS/Priority", purchasedAt, carrierData: null, ...changes };
}

export function pickupRequest(changes: Partial<PickupRequest> = {}): PickupRequest {
  return {
    address: warehouse,
    readyTime: "2026-03-03T10:00:00-05:00",
    closeTime: "2026-03-03T16:00:00-05:00",
    packageCount: 1,
    instructions: "Dock 2",
    parcels: [],
    ...changes,
  };
}

/** The smallest files that are taken for a PDF, a PNG and a ZPL label. */
export const files = {
  pdf: Buffer.from("%PDF-1.4\n%%EOF\n"),
  png: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff]),
  zpl: Buffer.from("^XA^FO50,50^FD1Z^FS^XZ"),
};

export const customs: NonNullable<RateRequest["options"]["customs"]> = {
  contents: "merchandise",
  incoterm: "DAP",
  taxIds: [{ type: "EORI", number: "GB123456789000", countryCode: "GB", party: "receiver" }],
  items: [
    {
      description: "Cotton shirt",
      quantity: 3,
      value: { amount: 19.99, currency: "USD" },
      weight: { value: 4.5, unit: "oz" },
      hsCode: "610910",
    },
  ],
};
