import { describe, expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { connectAccount } from "../../testing/carriers/buy-through-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const started = {
  easypost: await startWithAccount.easypost(),
  shipengine: await startWithAccount.shipengine(),
  ups: await startWithAccount.ups(),
  fedex: await startWithAccount.fedex(),
  usps: await startWithAccount.usps(),
};
const ids: Record<string, string> = {};
for (const [name, { standIn, account }] of Object.entries(started)) {
  afterFile(() => standIn.close());
  ids[name] = await connectAccount(org, account);
}

const home = {
  name: "Ada Byron",
  address1: "388 Townsend St",
  city: "San Francisco",
  provinceCode: "CA",
  zip: "94107",
  countryCode: "US",
};
const check = async (name: string, address: object = home) =>
  await org.post(`/carrier-accounts/${ids[name]}/address-check`, { address });

describe("POST /carrier-accounts/{id}/address-check", () => {
  test.each(Object.keys(started))("%s says whether it delivers there", async (name) => {
    const { status, body, text } = await check(name);
    expect(status, text).toBe(200);
    expect(["valid", "corrected"]).toContain(body.verdict);
    expect(body.address === null).toBe(body.verdict === "valid");
  });

  test("a carrier that does not check addresses, an unknown member and a failing carrier get a clear answer", async () => {
    const demo = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id;
    const refused = await org.post(`/carrier-accounts/${demo}/address-check`, { address: home });
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"]);
    expect(refused.body.detail).toContain("does not check addresses");
    const unknown = await check("easypost", { ...home, street: "x" });
    expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([400, "/address/street"]);
    started.easypost.standIn.inject("error_before", { times: 10 });
    expect((await check("easypost")).body.code).toBe("carrier_failed");
    started.easypost.standIn.calm();
  });
});

describe("validate_address with a carrier", () => {
  const run = async (orderIds: string[], params: object) => {
    const actions = [{ type: "validate_address", params }];
    return await org.post("/operations/run", { order_ids: orderIds, actions });
  };
  const anOrder = async (shippingAddress: object): Promise<string> => {
    const { body, status, text } = await org.post("/orders", {
      lines: [{ sku: "MUG-01", quantity: 1 }],
      shippingAddress,
    });
    expect(status, text).toBe(201);
    return body.id;
  };
  const orderOf = async (id: string) => (await org.get(`/orders/${id}`)).body;
  const callsOf = (): number => started.ups.standIn.requests.filter(({ operation }) => operation === "address").length;

  test("asks once for each distinct address, in the preflight and in the run, and marks homes", async () => {
    const orders = await Promise.all(
      ["Ada", "Ben", "Cleo"].map((name) => anOrder({ ...home, name, address1: "388 Townsend St Apt 20" })),
    );
    const params = { carrier_account_id: ids.ups };
    const before = callsOf();
    const actions = [{ type: "validate_address", params }];
    const preflight = await org.post("/operations/preflight", { order_ids: orders, actions });
    expect(preflight.status, preflight.text).toBe(200);
    expect(callsOf() - before).toBe(1);
    const { body, status, text } = await run(orders, params);
    expect(status, text).toBe(201);
    expect(body.status).toBe("succeeded");
    expect(callsOf() - before).toBe(2);
    const found = await check("ups", { ...home, address1: "388 Townsend St Apt 20" });
    for (const id of orders) {
      const { shippingAddress, addressStatus } = await orderOf(id);
      expect(addressStatus).toBe("valid");
      expect(shippingAddress.residential).toBe(found.body.residential ?? undefined);
    }
  });

  test("writes the correction only if it is wanted, and keeps the recipient", async () => {
    const given = { ...home, address1: "388 townsend street", phone: "5555550100" };
    const { body: expected } = await check("easypost", given);
    expect(expected.verdict).toBe("corrected");
    const [id, other] = [await anOrder(given), await anOrder(given)];
    const kept = await run([id], { carrier_account_id: ids.easypost });
    expect(kept.body.results[0].steps[0].warning.code).toBe("address_correction");
    expect((await orderOf(id)).shippingAddress.address1).toBe(given.address1);
    await run([other], { carrier_account_id: ids.easypost, apply_correction: true });
    expect(await orderOf(other)).toMatchObject({
      addressStatus: "valid",
      shippingAddress: { name: "Ada Byron", phone: "5555550100", address1: expected.address.address1 },
    });
  });

  test("refuses an address that the carrier does not know, with its words; a failing carrier changes nothing", async () => {
    const nowhere = { ...home, address1: "UNDELIVERABLE ST" };
    const { body: verdict } = await check("easypost", nowhere);
    expect(verdict.verdict).toBe("invalid");
    const id = await anOrder(nowhere);
    const { body } = await run([id], { carrier_account_id: ids.easypost });
    expect(body.results[0].error).toMatchObject({
      code: "address_invalid",
      message: expect.stringContaining(verdict.messages[0].replace(/\.$/, "")),
    });
    const held = await run([id], { carrier_account_id: ids.easypost, on_failure: "hold" });
    expect(held.body.status).toBe("succeeded");
    expect(await orderOf(id)).toMatchObject({ addressStatus: "invalid", onHold: true });
    started.easypost.standIn.inject("error_before", { times: 10 });
    const failed = await run([id], { carrier_account_id: ids.easypost, on_failure: "warn" });
    started.easypost.standIn.calm();
    expect(failed.body.results[0].error.code).toBe("carrier_failed");
  });

  test("an address that cannot be right is not sent to the carrier, and wrong params are refused", async () => {
    const before = callsOf();
    const id = await anOrder({ ...home, zip: "1" });
    const { body } = await run([id], { carrier_account_id: ids.ups });
    expect([body.results[0].error.code, callsOf()]).toEqual(["address_invalid", before]);
    const refused = await run([id], { apply_correction: true });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, "/actions/0/params/carrier_account_id"]);
    const foreign = await run([id], { carrier_account_id: crypto.randomUUID() });
    expect(foreign.body.errors[0].code).toBe("carrier_account_not_found");
  });
});
