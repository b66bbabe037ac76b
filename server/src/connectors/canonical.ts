import type { Address } from "../core/address.ts";
import type { Weight } from "../core/weight.ts";

/** The fields of `POST /orders` that shops provide, and the state of the order there. */
export type CanonicalOrder = {
  number?: string;
  externalId: string;
  status?: string;
  paymentStatus?: string;
  currency?: string;
  orderedAt?: string;
  channel?: string;
  tags?: string[];
  customer?: { name?: string; email?: string; phone?: string };
  shippingAddress?: Address;
  billingAddress?: Address;
  lines?: CanonicalLine[];
  total?: number;
  shipping?: { carrier?: string; service?: string };
  notes?: { text: string; visibility?: string }[];
  customFields?: Record<string, string | number | boolean>;
  /** null: not on hold at the source. */
  hold?: { reason?: string; note?: string } | null;
  deleted?: boolean;
};

export type CanonicalLine = {
  id?: string;
  sku: string;
  name?: string;
  quantity: number;
  shippedQuantity?: number;
  price?: number;
  weight?: Weight;
};

/** The body of `POST /locations`, and whether the location is active at the source. */
export type CanonicalLocation = { name: string; type: string; address: Address; is_active: boolean };

export type CanonicalTracking = {
  trackingNumber: string;
  carrier?: string;
  /** In the words of the carrier. */
  status: string;
  statusAt: string;
  estimatedDeliveryAt?: string;
  deliveredAt?: string;
  orderExternalId?: string;
};

export type CanonicalInventory = { sku: string; locationExternalId?: string; available: number; onHand?: number };
