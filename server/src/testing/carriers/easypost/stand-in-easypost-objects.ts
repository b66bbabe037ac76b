import type { AddressBody, CustomsInfoBody, ParcelBody } from "./stand-in-easypost-bodies.ts";
import { newId } from "../journaled-records.ts";

export type Mode = "test" | "production";
type Verification = {
  success: boolean;
  errors: { code: string; field: string; message: string; suggestion: null }[];
  details: Record<string, unknown> | null;
};
export type Address = {
  id: string;
  object: "Address";
  mode: Mode;
  created_at: string;
  updated_at: string;
  name: string | null;
  company: string | null;
  street1: string | null;
  street2: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  country: string;
  phone: string | null;
  email: string | null;
  carrier_facility: null;
  residential: boolean | null;
  federal_tax_id: string | null;
  state_tax_id: string | null;
  verifications: { zip4?: Verification; delivery?: Verification };
};
export type Rate = {
  id: string;
  object: "Rate";
  created_at: string | null;
  updated_at: string | null;
  mode: Mode;
  service: string;
  carrier: string;
  rate: string;
  currency: "USD";
  retail_rate: string | null;
  retail_currency: "USD" | null;
  list_rate: string | null;
  list_currency: "USD" | null;
  billing_type: "easypost" | "carrier";
  delivery_days: number | null;
  delivery_date: string | null;
  delivery_date_guaranteed: boolean;
  est_delivery_days: number | null;
  shipment_id: string;
  carrier_account_id: string;
};
export type Message = { carrier: string; carrier_account_id: string; type: string; message: string };
export type TrackingDetail = {
  object: "TrackingDetail";
  message: string;
  description: string;
  status: string;
  status_detail: string;
  datetime: string;
  source: string;
  carrier_code: string;
  tracking_location: {
    object: "TrackingLocation";
    city: string | null;
    state: string | null;
    country: string | null;
    zip: string | null;
  };
  est_delivery_date: string | null;
};
export type Tracker = {
  id: string;
  object: "Tracker";
  mode: Mode;
  tracking_code: string;
  status: string;
  status_detail: string;
  created_at: string;
  updated_at: string;
  signed_by: string | null;
  weight: number | null;
  est_delivery_date: string | null;
  shipment_id: string | null;
  carrier: string;
  tracking_details: TrackingDetail[];
  fees: unknown[];
  carrier_detail: Record<string, unknown> | null;
  public_url: string;
};
export type PostageLabel = {
  object: "PostageLabel";
  id: string;
  created_at: string;
  updated_at: string;
  date_advance: number;
  integrated_form: "none";
  label_date: string;
  label_resolution: number;
  label_size: string;
  label_type: "default";
  label_file_type: string;
  label_url: string;
  label_pdf_url: string | null;
  label_zpl_url: string | null;
  label_epl2_url: string | null;
  label_file: null;
};
type Fee = { object: "Fee"; type: string; amount: string; charged: boolean; refunded: boolean };
export type Parcel = {
  id: string;
  object: "Parcel";
  created_at: string;
  updated_at: string;
  length: number | null;
  width: number | null;
  height: number | null;
  predefined_package: string | null;
  weight: number;
  mode: Mode;
};
export type Shipment = {
  created_at: string;
  is_return: boolean;
  messages: Message[];
  mode: Mode;
  options: Record<string, unknown>;
  reference: string | null;
  status: string;
  tracking_code: string | null;
  updated_at: string;
  batch_id: string | null;
  batch_status: string | null;
  batch_message: string | null;
  customs_info: Record<string, unknown> | null;
  from_address: Address;
  insurance: string | null;
  order_id: string | null;
  parcel: Parcel;
  postage_label: PostageLabel | null;
  rates: Rate[];
  refund_status: string | null;
  scan_form: Record<string, unknown> | null;
  selected_rate: Rate | null;
  tracker: Tracker | null;
  to_address: Address;
  usps_zone: number;
  return_address: Address;
  buyer_address: Address;
  forms: unknown[];
  fees: Fee[];
  id: string;
  object: "Shipment";
};

/** Seconds, without milliseconds, as the API writes its times. */
export const stamp = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, "Z");

export function makeAddress(given: AddressBody, mode: Mode, at: Date): Address {
  const time = stamp(at).replace("Z", "+00:00");
  const orNull = (value: string | null | undefined): string | null => value ?? null;
  return {
    id: newId("adr_"),
    object: "Address",
    created_at: time,
    updated_at: time,
    name: orNull(given.name),
    company: orNull(given.company),
    street1: orNull(given.street1),
    street2: orNull(given.street2),
    city: orNull(given.city),
    state: orNull(given.state),
    zip: orNull(given.zip),
    country: given.country ?? "US",
    phone: orNull(given.phone),
    email: orNull(given.email),
    mode,
    carrier_facility: null,
    residential: given.residential ?? null,
    federal_tax_id: orNull(given.federal_tax_id),
    state_tax_id: orNull(given.state_tax_id),
    verifications: {},
  };
}

/** Streets need a house number, ZIP codes five digits above 00500; company addresses are commercial. */
export function verifyAddress(address: Address): Address {
  const hasNumber = /^[1-9]\d*\s/.test(address.street1 ?? "");
  const isFound = hasNumber && /^\d{5}(-\d{4})?$/.test(address.zip ?? "") && (address.zip ?? "") > "00500";
  if (!isFound) {
    const errors = [{ code: "E.ADDRESS.NOT_FOUND", field: "address", message: "Address not found", suggestion: null }];
    if (!/\d/.test(address.street1 ?? "")) {
      errors.push({
        code: "E.HOUSE_NUMBER.MISSING",
        field: "street1",
        message: "House number is missing",
        suggestion: null,
      });
    }
    return {
      ...address,
      verifications: {
        zip4: { success: false, errors, details: null },
        delivery: { success: false, errors, details: {} },
      },
    };
  }
  const upper = (value: string | null): string | null => value?.toUpperCase() ?? null;
  const details = { latitude: 33.8436, longitude: -118.39177, time_zone: "America/Los_Angeles" };
  return {
    ...address,
    name: upper(address.name),
    company: upper(address.company),
    street1: upper(address.street1),
    street2: upper(address.street2) ?? "",
    city: upper(address.city),
    state: upper(address.state),
    zip: address.zip!.length === 5 ? `${address.zip}-2506` : address.zip,
    residential: address.residential ?? address.company === null,
    verifications: {
      zip4: { success: true, errors: [], details: null },
      delivery: { success: true, errors: [], details },
    },
  };
}

export function makeParcel(given: ParcelBody, mode: Mode, at: Date): Parcel {
  const time = stamp(at);
  return {
    id: newId("prcl_"),
    object: "Parcel",
    created_at: time,
    updated_at: time,
    length: given.length ?? null,
    width: given.width ?? null,
    height: given.height ?? null,
    predefined_package: given.predefined_package ?? null,
    weight: given.weight,
    mode,
  };
}

export function makeCustomsInfo(given: CustomsInfoBody, mode: Mode, at: Date): Record<string, unknown> {
  const times = { created_at: stamp(at), updated_at: stamp(at) };
  return {
    id: newId("cstinfo_"),
    object: "CustomsInfo",
    ...times,
    contents_explanation: given.contents_explanation ?? null,
    contents_type: given.contents_type ?? "merchandise",
    customs_certify: given.customs_certify ?? false,
    customs_signer: given.customs_signer ?? null,
    eel_pfc: given.eel_pfc ?? null,
    non_delivery_option: given.non_delivery_option ?? "return",
    restriction_comments: given.restriction_comments ?? null,
    restriction_type: given.restriction_type ?? "none",
    mode,
    declaration: given.declaration ?? null,
    customs_items: given.customs_items.map((item) => ({
      id: newId("cstitem_"),
      object: "CustomsItem",
      ...times,
      description: item.description,
      hs_tariff_number: item.hs_tariff_number ?? null,
      origin_country: item.origin_country,
      quantity: item.quantity,
      value: String(item.value),
      weight: item.weight,
      code: item.code ?? null,
      mode,
      manufacturer: null,
      currency: item.currency ?? null,
      eccn: null,
      printed_commodity_identifier: null,
    })),
  };
}

/** The fees are terms of the account. */
export const easypostUser = {
  id: "user_00000000000000000000000000000001",
  object: "User",
  parent_id: null,
  name: "Stand-in user",
  phone_number: "5125550100",
  verified: true,
  created_at: "2026-01-05T09:00:00Z",
  default_carbon_offset: false,
  has_elevate_access: false,
  balance: "100.00000",
  price_per_shipment: "0.00000",
  recharge_amount: "100.00",
  secondary_recharge_amount: "100.00",
  recharge_threshold: "0.00",
  has_billing_method: true,
  cc_fee_rate: "0.0325",
  default_insurance_amount: "50.00",
  insurance_fee_rate: "0.005",
  insurance_fee_minimum: "0.50",
  email: "stand-in@example.com",
  children: [],
};
