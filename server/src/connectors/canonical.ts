import type { Address } from "../core/address.ts";
import type { Weight } from "../core/weight.ts";

/** The body of `POST /orders`, as far as shops fill it, and what has become of the order there. */
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
  /** null: it is not on hold there. */
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

/** The body of `POST /locations`, and whether the other side still uses it. */
export type CanonicalLocation = { name: string; type: string; address: Address; is_active: boolean };

export type CanonicalTracking = {
  trackingNumber: string;
  carrier?: string;
  /** As carriers usually call it. */
  status: string;
  statusAt: string;
  estimatedDeliveryAt?: string;
  deliveredAt?: string;
  orderExternalId?: string;
};

export type CanonicalInventory = { sku: string; locationExternalId?: string; available: number; onHand?: number };
