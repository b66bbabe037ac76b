import { describe, expect, test } from "vitest";
import { soldLabel } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import { shipengine } from "./shipengine.ts";

describe("voids", () => {
  const carrierData = { labelId: "se-l1" };
  const voiding = async (body: object, label = soldLabel({ carrierData })) => {
    const { call, requests } = scriptedCall({
      answers: ({ method }) => ({ status: 200, body: method === "GET" ? { labels: [{ label_id: "se-l9" }] } : body }),
    });
    return { answer: await shipengine.voidLabel!(call, label), requests };
  };

  test.each([
    [{ approved: true, message: "Voided." }, { state: "voided" }],
    [{ approved: false, message: "Voided before.", reason_code: "label_already_voided" }, { state: "voided" }],
    [
      { approved: false, message: "Used.", reason_code: "label_already_used" },
      { state: "rejected", message: "Used." },
    ],
    [{}, { state: "rejected", message: "ShipEngine did not void the label." }],
  ])("%j", async (body, expected) => {
    const { answer, requests } = await voiding(body);
    expect(requests[0]).toMatchObject({ method: "PUT", path: "/v1/labels/se-l1/void" });
    expect(answer).toEqual(expected);
  });

  test("a label without its ID is found by its number", async () => {
    const { requests } = await voiding({ approved: true }, soldLabel());
    expect(requests.map(({ path }) => path)).toEqual([
      "/v1/labels?tracking_number=9400100000000000000017",
      "/v1/labels/se-l9/void",
    ]);
  });

  test.each([
    [{ refund_details: { refund_status: "pending" } }, { state: "submitted" }],
    [{ refund_details: { refund_status: "rejected" }, voided: true }, { state: "rejected" }],
    [{ refund_details: { refund_status: "approved" } }, { state: "voided" }],
    [{ refund_details: { refund_status: "excluded" } }, { state: "not_applicable" }],
    [{ refund_details: null, status: "voided" }, { state: "voided" }],
    [{ refund_details: null, voided: false }, undefined],
  ])("the follow-up of %j", async (body, expected) => {
    const { call } = scriptedCall({ answers: () => ({ status: 200, body }) });
    expect(await shipengine.findVoid!(call, soldLabel({ carrierData }))).toEqual(expected);
  });
});
