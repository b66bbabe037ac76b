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
  customer?: { id?: string; name?: string; email?: string; phone?: string };
  shippingAddress?: Address;
  billingAddress?: Address;
  lines?: CanonicalLine[];
  total?: number;
  amounts?: CanonicalAmounts;
  payment?: { method?: string; reference?: string };
  riskLevel?: "low" | "medium" | "high";
  poNumber?: string;
  giftMessage?: string;
  /** YYYY-MM-DD. */
  requestedDeliveryDate?: string;
  /** ID at the source of the location that ships the order. It becomes `locationId` if the hub has that location. */
  locationExternalId?: string;
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
  discount?: number;
  tax?: number;
  refundedQuantity?: number;
  productId?: string;
  variantId?: string;
  options?: NamedValue[];
  properties?: NamedValue[];
  imageUrl?: string;
  requiresShipping?: boolean;
  parentLineId?: string;
  hsCode?: string;
  originCountry?: string;
};

export type NamedValue = { name: string; value: string };

export type CanonicalAmounts = {
  subtotal?: number;
  discount?: number;
  discounts?: { code?: string; title?: string; amount?: number }[];
  shipping?: number;
  tax?: number;
  taxIncluded?: boolean;
  fees?: number;
  refunded?: number;
  paid?: number;
  presentmentCurrency?: string;
  presentmentTotal?: number;
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

/** Without a location: that of the bridge, if it has just one. `committed` is what the source has set aside for its open orders. */
export type CanonicalInventory = {
  sku: string;
  available: number;
  committed?: number;
  locationId?: string;
  locationExternalId?: string;
};
