import { expect, test } from "vitest";
import { kitPartId } from "../core/kit-parts.ts";
import { shipmentsIn } from "./shipment-record.ts";

const [box, card] = [kitPartId("kit", 0), kitPartId("kit", 1)];
const lines = [
  { id: "kit", quantity: 2, requiresShipping: false },
  { id: box, quantity: 4, parentLineId: "kit" },
  { id: card, quantity: 2, parentLineId: "kit" },
  { id: "mug", quantity: 1 },
  { id: "bundled", quantity: 3, parentLineId: "mug" },
];

type Contents = Record<string, number>;

function reported(contents: Contents, ...earlier: Contents[]): Contents {
  const shipmentOf = (shipped: Contents) => ({
    trackingNumber: "1Z1",
    lines: Object.entries(shipped).map(([lineId, quantity]) => ({ lineId, quantity })),
  });
  const earlierShipments = earlier.map(shipmentOf);
  const [shipment] = shipmentsIn({ lines, shipments: [shipmentOf(contents)], earlierShipments });
  return Object.fromEntries(shipment!.quantities);
}

test("the shop receives the kit with its first part, and not the lines that the hub added", () => {
  expect(reported({ [box]: 4, [card]: 2, mug: 1 })).toEqual({ kit: 2, mug: 1 });
  expect(reported({ [box]: 2 })).toEqual({ kit: 1 });
  expect(reported({ [card]: 2, mug: 1 })).toEqual({ mug: 1 });
});

test("a kit whose first parts are in several parcels is reported once", () => {
  expect(reported({ [box]: 1 })).toEqual({ kit: 1 });
  expect(() => reported({ [box]: 1 }, { [box]: 1 })).toThrow("reported with another shipment");
  expect(reported({ [box]: 1, mug: 1 }, { [box]: 1 })).toEqual({ mug: 1 });
  expect(reported({ [box]: 1 }, { [box]: 1 }, { [box]: 1 })).toEqual({ kit: 1 });
});

test("parts of a bundle that the shop itself has are reported as they are", () => {
  expect(reported({ bundled: 3 })).toEqual({ bundled: 3 });
});

test("a shipment of further parts alone is not sent, and the reason is given", () => {
  expect(() => reported({ [card]: 2 })).toThrow("parts of kits");
});
