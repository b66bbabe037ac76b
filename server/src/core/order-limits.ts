/** Limits of an order, the same for requests, runs, imports and shops. */
export const orderLimits = {
  lines: 3_000,
  quantity: 1_000_000,
  price: 1_000_000_000,
  /** Discounts of an order; options and properties of a line. */
  discounts: 100,
  options: 20,
  properties: 50,
  tags: 50,
  tagLength: 64,
  notes: 200,
  noteLength: 5_000,
  customFields: 100,
  packages: 100,
  holds: 10,
  shipments: 200,
  /** Orders that are made from it. */
  children: 999,
  numberLength: 100,
} as const;
