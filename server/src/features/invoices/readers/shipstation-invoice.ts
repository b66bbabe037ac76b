import type { SheetPreset } from "../../../core/csv/csv-columns.ts";

/** Shipment exports of ShipStation, whose columns people choose. The cost is that of the label plus that of its insurance. */
export const shipstationPreset: SheetPreset = {
  name: "shipstation",
  title: "ShipStation",
  signatures: [
    ["Shipment - Tracking Number", "Carrier - Fee"],
    ["Shipment - Tracking Number", "Amount - Shipping Cost"],
  ],
  columns: {
    "Shipment - Tracking Number": "trackingNumber",
    "Carrier - Fee": "baseAmount",
    "Amount - Shipping Cost": "baseAmount",
    "Insurance - Cost": "insuranceAmount",
    "Carrier - Name": "carrier",
    "Shipment - Carrier": "carrier",
    "Carrier - Service Selected": "service",
    "Bill To - Account": "account",
    "Date - Shipped Date": "shipDate",
    "Delivery - Date": "deliveryDate",
    "Order - Number": "reference",
    "Shipment - Weight (Oz)": "billedWeight",
    "Weight (oz)": "billedWeight",
    "Shipment - Length": "length",
    "Shipment - Width": "width",
    "Shipment - Height": "height",
    "Shipment - Zone": "zone",
    "Ship From - Postal Code": "senderZip",
    "Ship From - Country": "senderCountry",
    "Ship To - Postal Code": "receiverZip",
    "Ship To - Country": "receiverCountry",
  },
};
