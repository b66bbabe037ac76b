import type { CarrierData } from "./carrier-data.ts";

export const labelTypes = ["text/plain", "application/pdf", "image/png", "image/gif", "application/zpl"] as const;

export type LabelFile = { contentType: (typeof labelTypes)[number]; content: Buffer };

/** Whole cents, or the smallest unit of the currency. */
export type Charge = { cents: number; currency: string; lines?: ChargeLine[] };
export type ChargeLine = { code: string; label: string; cents: number };

export type Label = {
  service: string;
  /** Null if the carrier does not say. */
  charge: Charge | null;
  /** In the order of the request; the first is the lead parcel. A file may be missing: the label is paid for all the same. */
  parcels: { trackingNumber: string; file: LabelFile | null }[];
  /** The file of the lead parcel has the labels of all parcels: that the others have none is no problem. */
  leadHasAllLabels?: boolean;
  documents?: { kind: "customs" | "receipt"; file: LabelFile }[];
  zone?: string;
  /** The carrier's promise for this shipment. */
  transitDays?: number;
  /** A date or an instant. */
  deliverBy?: string;
  carrierData?: CarrierData;
};

export type SoldLabel = {
  /** Of the lead parcel. */
  trackingNumber: string;
  /** All parcels, lead first. */
  trackingNumbers: string[];
  service: string;
  purchasedAt: string;
  carrierData: CarrierData | null;
};

/**
 * `submitted`: the refund is decided later. `not_applicable`: nothing was charged, so nothing is refunded; the label is void all the
 * same. `rejected`: the label stays purchased.
 */
export type VoidAnswer = {
  state: "voided" | "submitted" | "rejected" | "not_applicable";
  message?: string;
  carrierData?: CarrierData;
};
