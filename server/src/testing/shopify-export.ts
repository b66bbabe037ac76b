/** What Shopify's orders export looks like, as its help describes it. The orders are made up. */
export const shopifyHeader =
  "Name,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Accepts Marketing,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Shipping Method,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem compare at price,Lineitem sku,Lineitem requires shipping,Lineitem taxable,Lineitem fulfillment status,Billing Name,Billing Street,Billing Address1,Billing Address2,Billing Company,Billing City,Billing Zip,Billing Province,Billing Country,Billing Phone,Shipping Name,Shipping Street,Shipping Address1,Shipping Address2,Shipping Company,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone,Notes,Note Attributes,Cancelled at,Payment Method,Payment Reference,Refunded Amount,Vendor,Outstanding Balance,Employee,Location,Device ID,Id,Tags,Risk Level,Source,Lineitem discount,Tax 1 Name,Tax 1 Value,Tax 2 Name,Tax 2 Value,Tax 3 Name,Tax 3 Value,Tax 4 Name,Tax 4 Value,Tax 5 Name,Tax 5 Value,Phone,Receipt Number,Duties,Billing Province Name,Shipping Province Name,Payment ID,Payment Terms Name,Next Payment Due At,Payment References";
const names = shopifyHeader.split(",");

/** A row with these cells, by the names of their columns. */
export const shopifyRow = (cells: Record<string, string>): string => names.map((name) => cells[name] ?? "").join(",");

/** What stands in the first row of an order. */
export const shopifyOrder = {
  Name: "#1001",
  Email: "ann@example.com",
  "Financial Status": "paid",
  "Paid at": "2026-05-14 11:24:02 +0100",
  "Fulfillment Status": "unfulfilled",
  "Accepts Marketing": "no",
  Currency: "GBP",
  Total: "45.00",
  "Shipping Method": "Royal Mail 48",
  "Created at": "2026-05-14 11:23:45 +0100",
  "Billing Name": "Ann Lee",
  "Shipping Name": "Ann Lee",
  "Shipping Street": "1 High St",
  "Shipping Address1": "1 High St",
  "Shipping City": "Boston",
  "Shipping Zip": "'02108",
  "Shipping Province": "MA",
  "Shipping Country": "US",
  Id: "5550001",
  Tags: '"vip, gift"',
  Source: "web",
};

/** What stands in each of its rows. */
export const shopifyLine = (name: string, quantity: string, sku = "") => ({
  "Lineitem quantity": quantity,
  "Lineitem name": name,
  "Lineitem price": "15.00",
  "Lineitem sku": sku,
  "Lineitem requires shipping": "true",
  "Lineitem fulfillment status": "pending",
});
