import type { CarrierData } from "./carrier-data.ts";

export type TrackingStatus =
  | "pre_transit"
  | "picked_up"
  | "in_transit"
  | "out_for_delivery"
  | "ready_for_pickup"
  | "delivery_failed"
  | "delayed"
  | "on_hold"
  | "exception"
  | "returned"
  | "delivered"
  | "cancelled"
  | "expired"
  | "unknown";

/** A parcel to track. `carrierData` is set if its label was purchased from the carrier. */
export type ParcelToTrack = { trackingNumber: string; shippedAt: string; carrierData?: CarrierData };

export type TrackingEvent = {
  /** An instant. Without an offset it is local time at the place of the event, else at the destination. */
  at: string;
  status: TrackingStatus;
  description: string;
  city?: string;
  state?: string;
  zip?: string;
  countryCode?: string;
};

/** The status of the parcel is derived from its events. */
export type TrackingReport = {
  trackingNumber: string;
  /** A date or an instant. */
  estimatedDelivery?: string;
  events: TrackingEvent[];
};
