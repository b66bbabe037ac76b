import { describe, expect, test } from "vitest";
import { soldLabel } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { easypost } from "./easypost.ts";

describe("voids", () => {
  const carrierData = { shipmentIds: ["shp_7d1"], carrier: "USPS" };
  const voiding = async (answers: (request: SentRequest) => ScriptedAnswer, label = soldLabel({ carrierData })) => {
    const { call, requests } = scriptedCall({ credentials: { apiKey: "EZAK" }, answers });
    return { answer: await easypost.voidLabel!(call, label), requests };
  };

  test.each([
    ["submitted", "submitted"],
    ["refunded", "voided"],
    ["rejected", "rejected"],
    ["not_applicable", "not_applicable"],
    ["queued", "submitted"],
  ])("a refund that is %s", async (refund_status, state) => {
    const { answer, requests } = await voiding(() => ({ status: 200, body: { refund_status } }));
    expect(requests[0]).toMatchObject({ method: "POST", path: "/v2/shipments/shp_7d1/refund" });
    expect(answer).toEqual({ state });
  });

  test("a second void finds the first", async () => {
    const { answer } = await voiding(({ method }) =>
      method === "GET"
        ? { status: 200, body: { refund_status: "submitted" } }
        : { status: 422, body: { error: { code: "SHIPMENT.REFUND", message: "A refund was requested." } } },
    );
    expect(answer).toEqual({ state: "submitted" });
  });

  test("a refusal keeps the label, with the words of EasyPost; a wrong key is no refusal", async () => {
    const refused = { status: 422, body: { error: { code: "X", message: "The label was scanned." } } };
    const { answer } = await voiding(({ method }) => (method === "GET" ? { status: 200, body: {} } : refused));
    expect(answer).toEqual({ state: "rejected", message: "EasyPost: The label was scanned." });
    await expect(voiding(() => ({ status: 401 }))).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("of several parcels one that stays purchased counts for all", async () => {
    const label = soldLabel({ carrierData: { shipmentIds: ["a", "b"] } });
    const { answer } = await voiding(
      ({ path }) => ({ status: 200, body: { refund_status: path.includes("/a/") ? "refunded" : "rejected" } }),
      label,
    );
    expect(answer.state).toBe("rejected");
  });

  test("a label without IDs is refunded by its numbers", async () => {
    const { answer, requests } = await voiding(() => ({ status: 200, body: [{ status: "submitted" }] }), soldLabel());
    expect(requests[0]).toMatchObject({
      path: "/v2/refunds",
      json: { refund: { carrier: "USPS", tracking_codes: ["9400100000000000000017"] } },
    });
    expect(answer).toEqual({ state: "submitted" });
  });

  test("the follow-up reads the state, and nothing where there is no refund", async () => {
    const asking = async (refund_status: string | null) => {
      const { call } = scriptedCall({ answers: () => ({ status: 200, body: { refund_status } }) });
      return await easypost.findVoid!(call, soldLabel({ carrierData }));
    };
    expect(await asking("refunded")).toEqual({ state: "voided" });
    expect(await asking("rejected")).toEqual({ state: "rejected" });
    expect(await asking(null)).toBeUndefined();
  });
});
