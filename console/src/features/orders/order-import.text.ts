const address = ["name", "company", "address1", "address2", "city", "provinceCode", "zip", "countryCode", "phone"];

/** What a column can be; `customFields.` and a name of one's own is taken as well. */
export const importFields: readonly string[] = [
  "number",
  "externalId",
  "status",
  "paymentStatus",
  "priority",
  "tags",
  "channel",
  "currency",
  "total",
  "orderedAt",
  "shipBy",
  "deliverBy",
  "dispatchOn",
  "customer.name",
  "customer.email",
  "customer.phone",
  "line.sku",
  "line.name",
  "line.quantity",
  "line.price",
  "line.weight",
  "shipping.carrier",
  "shipping.service",
  "note",
  ...address.map((part) => `shippingAddress.${part}`),
  ...address.map((part) => `billingAddress.${part}`),
];

export const sampleCsv = `Order Number,SKU,Quantity,Price,Customer Name,Customer Email,Ship Name,Ship Address 1,Ship City,Ship State,Ship Zip,Ship Country
SHOP-1001,MUG-01,2,9.50,Ines Pereira,ines@example.com,Ines Pereira,1 Main Street,Albany,NY,12207,US
SHOP-1001,TEE-02,1,19.00,Ines Pereira,ines@example.com,Ines Pereira,1 Main Street,Albany,NY,12207,US
SHOP-1002,MUG-01,1,9.50,J. O'Brien,job@example.com,J. O'Brien,22 Elm Road,Boston,MA,02134,US
`;
