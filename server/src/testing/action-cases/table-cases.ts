import { aLine } from "../an-order.ts";
import type { Cases } from "./case-parts.ts";
import { entirely, partly } from "./case-parts.ts";

const kits = {
  A: [
    { sku: "MUG", quantity: 2, name: "Mug" },
    { sku: "BOX", quantity: 1, weight: { value: 100, unit: "g" as const } },
  ],
};
const expanded = [
  aLine({ quantity: 1, requiresShipping: false }),
  aLine({ id: "line-a/kit/1", sku: "MUG", quantity: 2, price: 0, parentLineId: "line-a" }),
];
const envelope = { package: "Envelope", max_weight: { value: 1, unit: "kg" }, max_items: 2 };
const box = {
  package: "Box",
  dimensions: { length: 30, width: 20, height: 10, unit: "cm" },
  weight: { value: 200, unit: "g" },
  max_weight: { value: 10, unit: "kg" },
};

/** Actions that decide by a table among their params. */
export const tableCases: Record<string, Cases> = {
  expand_kits: {
    applied: [
      {
        params: { kits },
        gives: {
          total: 80,
          lines: [
            { id: "line-a", quantity: 3, price: 10, requiresShipping: false },
            {
              id: "line-a/kit/1",
              sku: "MUG",
              name: "Mug",
              quantity: 6,
              shippedQuantity: 0,
              price: 0,
              parentLineId: "line-a",
            },
            { id: "line-a/kit/2", sku: "BOX", quantity: 3, price: 0, weight: { value: 100, unit: "g" } },
            { id: "line-b" },
          ],
        },
      },
      { given: { status: "sent" }, params: { kits }, gives: { status: "sent" }, warning: "already_sent" },
    ],
    unchanged: [
      { params: { kits: { C: kits.A } } },
      { given: { lines: expanded }, params: { kits } },
      // Neither kits that are not shipped nor names that every object has.
      { given: { lines: [aLine({ requiresShipping: false })] }, params: { kits } },
      { given: { lines: [aLine({ sku: "constructor" })] }, params: { kits } },
      { given: { status: "ready", lines: [aLine({ quantity: 1, shippedQuantity: 1 })] }, params: { kits } },
    ],
    blocked: [
      { given: partly, params: { kits }, code: "already_shipped" },
      { given: { lines: [aLine({ quantity: 900_000 })] }, params: { kits }, code: "quantity_too_large" },
      {
        given: { lines: Array.from({ length: 2_900 }, (_, i) => aLine({ id: `line-${i}` })) },
        params: { kits },
        code: "too_many_lines",
      },
      { given: entirely, params: { kits }, code: "invalid_state" },
    ],
  },
  swap_sku: {
    applied: [
      {
        given: {
          packages: [{ count: 1 }],
          lines: [
            aLine({ productId: "7", imageUrl: "https://shop.example/a.png", price: 3, name: "Old" }),
            aLine({ id: "b", sku: "B" }),
          ],
        },
        params: { skus: { A: { sku: "A2", name: "New" } } },
        gives: {
          packages: [{ count: 1 }],
          lines: [
            { id: "line-a", sku: "A2", name: "New", price: 3, quantity: 1, shippedQuantity: 0 },
            { id: "b", sku: "B" },
          ],
        },
      },
      {
        given: { packages: [{ count: 1 }] },
        params: { skus: { A: { sku: "A2", weight: { value: 1, unit: "kg" } } } },
        gives: { packages: [], lines: [{ sku: "A2", weight: { value: 1, unit: "kg" } }, { sku: "B" }] },
      },
    ],
    unchanged: [
      { params: { skus: { C: { sku: "D" } } } },
      { given: { lines: [aLine({ shippedQuantity: 1 })] }, params: { skus: { A: { sku: "A2" } } } },
      { given: { lines: [aLine({ sku: "toString" })] }, params: { skus: { A: { sku: "A2" } } } },
    ],
    blocked: [
      { given: partly, params: { skus: { A: { sku: "A2" } } }, code: "already_shipped" },
      { given: entirely, params: { skus: { A: { sku: "A2" } } }, code: "invalid_state" },
    ],
  },
  choose_package: {
    applied: [
      {
        given: { lines: [aLine({ quantity: 2, weight: { value: 500, unit: "g" } })] },
        params: { packages: [envelope, box] },
        gives: {
          packages: [{ weight: { value: 1_000, unit: "g" }, count: 1 }],
          shipping: { carrier: "ups", service: "ground", packageType: "Envelope" },
        },
      },
      // Five items of 5.5 kg, and the box itself.
      {
        params: { packages: [envelope, box] },
        gives: {
          packages: [{ weight: { value: 5_700, unit: "g" }, dimensions: box.dimensions, count: 1 }],
          shipping: { carrier: "ups", service: "ground", packageType: "Box" },
        },
      },
      // The package is in the unit of the items.
      {
        given: { lines: [aLine({ quantity: 2, weight: { value: 1.1, unit: "lb" } })] },
        params: {
          packages: [{ ...envelope, max_weight: { value: 2.2, unit: "lb" }, weight: { value: 1.6, unit: "oz" } }],
        },
        gives: {
          packages: [{ weight: { value: 2.3, unit: "lb" }, count: 1 }],
          shipping: { carrier: "ups", service: "ground", packageType: "Envelope" },
        },
      },
      {
        given: { lines: [aLine({ quantity: 9 })], packages: [{ count: 4 }] },
        params: {
          packages: [
            { package: "Mailer", skus: ["B"] },
            { package: "Sack", skus: ["A", "B"] },
          ],
        },
        gives: { packages: [{ count: 1 }], shipping: { carrier: "ups", service: "ground", packageType: "Sack" } },
      },
      // A poster is longer than the mailer, though its volume is smaller; turned, it fits into the tube.
      {
        given: { lines: [aLine({ sku: "POSTER" })] },
        params: {
          packages: [
            { package: "Mailer", dimensions: { length: 40, width: 30, height: 5, unit: "cm" } },
            { package: "Tube", dimensions: { length: 3, width: 3, height: 25, unit: "in" } },
          ],
          item_sizes: { POSTER: { length: 2.54, width: 60, height: 7.62, unit: "cm" } },
        },
        gives: {
          packages: [{ dimensions: { length: 3, width: 3, height: 25, unit: "in" }, count: 1 }],
          shipping: { carrier: "ups", service: "ground", packageType: "Tube" },
        },
      },
      // Each cube of 10 cm fits into the small box, but not nine of them.
      {
        given: { lines: [aLine({ sku: "CUBE", quantity: 9 })] },
        params: {
          packages: [
            { package: "Small", dimensions: { length: 20, width: 20, height: 20, unit: "cm" } },
            { package: "Large", dimensions: { length: 30, width: 20, height: 20, unit: "cm" } },
          ],
          item_sizes: { CUBE: { length: 10, width: 10, height: 10, unit: "cm" } },
        },
        gives: {
          packages: [{ dimensions: { length: 30, width: 20, height: 20, unit: "cm" }, count: 1 }],
          shipping: { carrier: "ups", service: "ground", packageType: "Large" },
        },
      },
      // A download needs no room.
      {
        given: {
          lines: [aLine({ weight: { value: 1, unit: "g" } }), aLine({ id: "e", quantity: 9, requiresShipping: false })],
        },
        params: { packages: [envelope] },
        gives: { packages: [{ weight: { value: 1, unit: "g" }, count: 1 }] },
      },
    ],
    unchanged: [
      {
        given: { packages: [{ count: 1 }], shipping: { packageType: "Sack" }, lines: [aLine()] },
        params: { packages: [{ package: "Sack" }] },
      },
    ],
    blocked: [
      { params: { packages: [envelope] }, code: "no_package_fits" },
      { given: { lines: [aLine()] }, params: { packages: [envelope] }, code: "weight_unknown" },
      {
        given: { lines: [aLine({ sku: "CUBE" }), aLine({ id: "f", sku: "UNMEASURED" })] },
        params: { packages: [box], item_sizes: { CUBE: { length: 10, width: 10, height: 10, unit: "cm" } } },
        code: "size_unknown",
      },
      { given: { packages: [{ count: 1 }, { count: 2 }] }, params: { packages: [box] }, code: "multiple_packages" },
      { given: { lines: [aLine({ requiresShipping: false })] }, params: { packages: [box] }, code: "nothing_to_ship" },
      { given: entirely, params: { packages: [box] }, code: "invalid_state" },
    ],
  },
};
