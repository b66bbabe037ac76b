import { expect, test } from "vitest";
import { systemContext } from "../../../context.ts";
import { evaluateOne } from "../../../testing/an-evaluation.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { listRecordedShipments } from "./follow-shipments.ts";

const hub = await startTestHub();

test("a parcel that was recorded before is reused, and its recorded fields stay", async () => {
  const org = await hub.org();
  const { body: order } = await org.post("/orders", { status: "ready", lines: [{ id: "a", sku: "MUG", quantity: 1 }] });
  const label = { orderId: order.id, carrier: "ups", service: "2day", trackingNumber: "1Z1" };
  const { body: recorded } = await org.post("/shipments", label);
  const { onHold: _onHold, archived: _archived, ...stored } = order;
  const params = { tracking_number: "1Z1", carrier: "ups" };
  const evaluation = evaluateOne([stored], "mark_shipped", params)[0]!;
  const changes = evaluation.steps[0]!.changes!;
  const [given] = evaluation.order.shipments;
  const before = structuredClone({ given, changes });
  await hub.world.db.transaction((tx) =>
    listRecordedShipments(tx, systemContext(hub.world, org.id, "test"), [evaluation]),
  );
  const listed = { id: recorded.id, service: "2day", lines: given!.lines };
  expect(evaluation.order.shipments).toMatchObject([listed]);
  const written = evaluation.steps[0]!.changes!.find(({ path }) => path === "/shipments");
  expect(written).toMatchObject({ from: [], to: [listed] });
  expect({ given, changes }).toEqual(before);
});
