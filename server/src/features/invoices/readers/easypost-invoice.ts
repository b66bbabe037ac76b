import type { SheetPreset } from "../../../core/csv/csv-columns.ts";

/** The shipment reports of EasyPost: one row for each label, with its fees in columns. Weights are in ounces. */
export const easypostPreset: SheetPreset = {
  name: "easypost",
  title: "EasyPost",
  signatures: [
    ["tracking_code", "postage_fee"],
    ["tracking_code", "carrier", "service", "rate"],
    ["tracking_code", "adjustment_amount"],
  ],
  columns: {
    tracking_code: "trackingNumber",
    postage_fee: "baseAmount",
    rate: "baseAmount",
    label_fee: "feeAmount",
    insurance_fee: "insuranceAmount",
    adjustment_amount: "adjustmentAmount",
    currency: "currency",
    carrier: "carrier",
    service: "service",
    carrier_account_id: "account",
    postage_label_created_at: "shipDate",
    created_at: "shipDate",
    weight: "billedWeight",
    length: "length",
    width: "width",
    height: "height",
    usps_zone: "zone",
    zone: "zone",
    reference: "reference",
    from_zip: "senderZip",
    from_country: "senderCountry",
    to_zip: "receiverZip",
    to_country: "receiverCountry",
  },
};
