import fc from "fast-check";
import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { sharedText } from "./order-groups.ts";

const hub = await startTestHub();
const org = await hub.org();

test("a group has the common properties of its orders, and each reason with its count", async () => {
  const held = async (reason: string) => {
    const { id } = (await org.post("/orders", { status: "ready" })).body;
    await org.post("/operations/run", { order_ids: [id], actions: [{ type: "hold", params: { reason } }] });
    return id as string;
  };
  const order_ids = [
    await held("customer_request"),
    await held("high_risk_of_fraud"),
    await held("high_risk_of_fraud"),
  ];
  const draft = (await org.post("/orders", { status: "draft" })).body.id as string;
  const cancelled = (await org.post("/orders", { status: "cancelled" })).body.id as string;
  order_ids.push(draft, cancelled);
  const actions = [{ type: "mark_shipped", params: { tracking_number: "T-{{number}}" } }];
  const { groups } = (await org.post("/operations/preflight", { order_ids, actions })).body;
  const ofCode = (all: { code: string }[], code: string) => all.find((group) => group.code === code);
  const onHold = {
    code: "on_hold",
    count: 3,
    message: "The order is on hold …",
    reasons: [
      { count: 2, message: expect.stringContaining("high_risk_of_fraud") },
      { count: 1, message: expect.stringContaining("customer_request") },
    ],
  };
  expect(ofCode(groups, "on_hold")).toMatchObject(onHold);
  expect(ofCode(groups, "invalid_state")).toMatchObject({
    count: 2,
    message: "Mark as shipped is not possible while the order is …",
    fix: expect.stringContaining("Allowed while"),
  });
  const { id } = (await org.post("/operations/run", { order_ids, actions })).body;
  const told = (await org.get(`/operations/runs/${id}/result-groups`)).body.data;
  expect(ofCode(told, "on_hold")).toMatchObject({ ...onHold, step: 0, type: "mark_shipped", sample: [{}, {}, {}] });
  expect(ofCode(told, "invalid_state")).toMatchObject({ count: 2, message: expect.stringMatching(/ …$/) });
});

test("the common start of many messages is kept", () => {
  expect(sharedText([])).toBe("");
  expect(sharedText(["One.", "One."])).toBe("One.");
  expect(sharedText(["It is on hold (a)", "It is on hold (b)"])).toBe("It is on hold …");
  expect(sharedText(["3 of A were shipped.", "2 of A were shipped."])).toBe("The reason differs from order to order.");
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (texts) => {
      const shared = sharedText(texts);
      if (!shared.endsWith(" …"))
        return new Set(texts).size === 1 || shared === "The reason differs from order to order.";
      return texts.every((text) => text.startsWith(shared.slice(0, -2)));
    }),
  );
});
