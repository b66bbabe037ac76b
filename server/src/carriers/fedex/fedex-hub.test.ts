import { afterEach, describe, expect, test } from "vitest";
import { box, customer, dock, hubBeside } from "../../testing/carriers/direct-carriers-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { fedex } from "./fedex.ts";

const { standIn, open } = await hubBeside(startWithAccount.fedex, fedex, "FEDEX_GROUND");
afterEach(() => standIn.calm());

describe("the account test", () => {
  test("finds nothing wrong with a working account", async () => {
    const shop = await open();
    expect(await shop.test()).toEqual({ ok: true, problems: [] });
  });

  test.each([
    ["client secret", { clientSecret: "wrong" }, "FedEx does not accept the client ID or the client secret"],
    ["client secret for tracking", { trackClientSecret: "wrong" }, "Tracking: FedEx does not accept the client ID"],
  ])("names a wrong %s", async (_, wrong, message) => {
    const shop = await open((account) => ({ ...account, credentials: { ...account.credentials, ...wrong } }));
    const { ok, problems } = await shop.test();
    expect([ok, problems.length, problems[0].part]).toEqual([false, 1, "key"]);
    expect(problems[0].message).toContain(message);
  });

  test("names a wrong account number, a missing permission and an address where FedEx is not", async () => {
    const foreign = await open((account) => ({
      ...account,
      settings: { ...account.settings, accountNumber: "999999999" },
    }));
    expect((await foreign.test()).problems).toEqual([
      { part: "account", message: "FedEx: The account number is not that of the shipper. (ACCOUNT.NUMBER.MISMATCH)" },
    ]);
    const shop = await open();
    standIn.inject("blocked", { operation: "rate" });
    const [problem] = (await shop.test()).problems;
    expect(problem.part).toBe("permission");
    expect(problem.message).toContain("FedEx also refuses requests for ten minutes after too many of them.");
    const lost = await open((account) => ({
      ...account,
      settings: { ...account.settings, baseUrl: "http://127.0.0.1:9" },
    }));
    const message =
      "No connection to 127.0.0.1 (ECONNREFUSED). Check the API address in the settings of the account: http://127.0.0.1:9";
    expect((await lost.test()).problems).toEqual([{ part: "address", message }]);
  });
});

describe("prices", () => {
  test("are the account's own, with the published price beside them, to the cent", async () => {
    const { quote } = await open();
    standIn.inject("float_noise", { operation: "rate" });
    const { status, body } = await quote();
    expect([status, body.quotes.length]).toEqual([200, 6]);
    const [ground] = body.quotes;
    expect(ground).toMatchObject({ service: "FEDEX_GROUND", level: "ground", currency: "USD" });
    expect(ground.listTotal).toBeGreaterThan(ground.total);
    expect(Number.isInteger(Math.round(ground.total * 1e6) / 1e4)).toBe(true);
  });

  test("to a home are those of Home Delivery", async () => {
    const { quote } = await open();
    const { body } = await quote({ residential: true });
    const services = body.quotes.map(({ service }: { service: string }) => service);
    expect(services).toContain("GROUND_HOME_DELIVERY");
    expect(services).not.toContain("FEDEX_GROUND");
  });

  test("need no more than postal codes and countries", async () => {
    const { quote } = await open();
    const { status, body } = await quote({
      origin: { zip: "07114", countryCode: "US" },
      destination: { zip: "12207", countryCode: "US" },
    });
    expect([status, body.quotes.length]).toEqual([200, 6]);
  });

  test.each(["partial_rates", "single_object", "negotiated_missing"])(
    "a response with the fault %s is read as far as it goes",
    async (fault) => {
      const { quote } = await open();
      const services = ["FEDEX_GROUND"];
      const whole = (await quote({ services })).body.quotes[0];
      standIn.inject(fault, { operation: "rate" });
      const { body } = await quote(fault === "single_object" ? { services } : {});
      const isPublished = fault === "negotiated_missing";
      expect(body.quotes[0]).toMatchObject(
        isPublished ? { total: whole.listTotal, listTotal: null } : { total: whole.total, listTotal: whole.listTotal },
      );
    },
  );

  test("the preflight shows what the run pays and the label costs", async () => {
    const shop = await open();
    const options = { signature: "signature" };
    const { orderId, preflight, run, label } = await shop.runAtPrice({ services: ["FEDEX_2_DAY"] }, { options });
    expect(preflight).toMatchObject({ service: "FEDEX_2_DAY", currency: "USD", total: expect.any(Number) });
    expect(run).toEqual(preflight);
    expect(label).toMatchObject({ status: "purchased", cost: preflight.total, orderId });
    expect(shop.journal("buy")).toHaveLength(1);
  });
});

describe("a label", () => {
  test("is bought, printed and voided", async () => {
    const shop = await open();
    const { status, body } = await shop.buy();
    expect(status).toBe(201);
    const { label } = body;
    expect(label).toMatchObject({ status: "purchased", failure: null, contentType: "application/pdf" });
    const [ground] = (await shop.quote({ services: ["FEDEX_GROUND"] })).body.quotes;
    expect(label.cost).toBe(ground.total);
    expect(label.chargeLines.length).toBeGreaterThan(1);
    const file = await shop.print(label.id);
    expect(file).toEqual({ status: 200, type: "application/pdf", begin: "%PDF-" });
    const voided = await shop.org.delete(`/shipments/labels/${label.id}`);
    expect(voided.body).toMatchObject({ status: "voided", refund: { state: "voided" } });
    expect(shop.journal("void")).toMatchObject([{ trackingNumbers: [label.trackingNumber] }]);
  });

  test.each([
    ["png", "image/png", "PNG"],
    ["zpl", "application/zpl", "^XA"],
  ])("as %s is a file of type %s", async (format, type, begin) => {
    const shop = await open();
    const { label } = (await shop.buy({ options: { label: { format } } })).body;
    const file = await shop.print(label.id);
    expect(file).toEqual({ status: 200, type, begin: expect.stringContaining(begin) });
  });

  test("of several parcels has a number, a file and a shipment for each, and one price", async () => {
    const shop = await open();
    const { body } = await shop.buy({ parcels: [box, box, box] });
    const { label } = body;
    const numbers = label.parcels.map(({ trackingNumber }: { trackingNumber: string }) => trackingNumber);
    expect(new Set(numbers).size).toBe(3);
    expect(shop.journal("buy")).toMatchObject([{ trackingNumbers: numbers }]);
    expect(await shop.print(label.id, "?parcel=3")).toMatchObject({ status: 200, type: "application/pdf" });
    await shop.org.delete(`/shipments/labels/${label.id}`);
    expect(shop.journal("void")).toMatchObject([{ trackingNumbers: numbers }]);
  });

  test("whose token expired in the middle of the purchase is bought once with a new one", async () => {
    const shop = await open();
    standIn.inject("expired_token", { operation: "buy" });
    expect((await shop.buy()).status).toBe(201);
    standIn.expireTokens();
    expect((await shop.buy()).status).toBe(201);
    expect(shop.journal("buy")).toHaveLength(2);
  });

  test("to a customer without a phone number has that of the shop", async () => {
    const shop = await open();
    const { phone: _phone, ...to } = customer;
    expect((await shop.buy({ to })).status).toBe(201);
    const sent = JSON.parse(shop.requests("buy")[0]!.body).requestedShipment;
    expect(sent.recipients[0].contact.phoneNumber).toBe("9735550100");
  });

  test.each([
    [
      "missing phone numbers",
      { from: { ...dock, phone: undefined }, to: { ...customer, phone: undefined } },
      "The phone number of the sender's address is missing. FedEx requires one.",
    ],
    [
      "a service that does not go there",
      { options: { residential: true } },
      "FedEx: Invalid service and packaging combination. (SERVICE.PACKAGECOMBINATION.INVALID)",
    ],
    [
      "a day without its option",
      { options: { extra: { homeDeliveryDate: "2026-03-09" } } },
      "FedEx does not support one of extra.homeDelivery DATE_CERTAIN and extra.homeDeliveryDate. Set both.",
    ],
    [
      "an indirect signature without a signature",
      { options: { extra: { indirectSignature: true } } },
      "FedEx does not support extra.indirectSignature alone. Set signature to signature as well.",
    ],
    [
      "a ZPL label on a letter",
      { options: { label: { format: "zpl", size: "letter" } } },
      "FedEx does not support label.size letter for zpl. Use label.size 4x6, or label.format pdf or png.",
    ],
  ])("is refused for %s, and the reason is shown", async (_, more, message) => {
    const shop = await open();
    const { status, body } = await shop.buy(more);
    expect([status, body.code, body.detail]).toEqual([409, "label_rejected", message]);
    expect(await shop.exceptions()).toMatchObject([{ kind: "label", reason: message, status: "open" }]);
    expect(shop.journal("buy")).toEqual([]);
  });

  test("takes every option along to FedEx", async () => {
    const shop = await open();
    const { status } = await shop.buy({
      service: "GROUND_HOME_DELIVERY",
      options: {
        residential: true,
        signature: "signature",
        insuredValue: { amount: 120, currency: "USD" },
        billTo: { party: "receiver", account: "510087100", zip: "12207" },
        references: ["PO 1", "Dept 2"],
        extra: { indirectSignature: true, homeDelivery: "DATE_CERTAIN", homeDeliveryDate: "2026-03-09" },
      },
      reference: "Order 7",
    });
    expect(status).toBe(201);
    const sent = JSON.parse(shop.requests("buy")[0]!.body).requestedShipment;
    expect(sent.recipients[0].address.residential).toBe(true);
    expect(sent.shippingChargesPayment).toMatchObject({ paymentType: "RECIPIENT" });
    expect(sent.shipmentSpecialServices.homeDeliveryPremiumDetail).toMatchObject({ deliveryDate: "2026-03-09" });
    const [item] = sent.requestedPackageLineItems;
    expect(item).toMatchObject({
      declaredValue: { amount: 120 },
      packageSpecialServices: { signatureOptionType: "INDIRECT" },
    });
    const values = item.customerReferences.map(({ value }: { value: string }) => value);
    expect(values).toEqual(["Order 7", "PO 1", "Dept 2", expect.any(String)]);
  });
});

describe("a void", () => {
  test("that FedEx refuses inside of a success leaves the label as it is, with the reason", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    standIn.inject("cancel_false_in_200", { operation: "void" });
    const { status, body } = await shop.org.delete(`/shipments/labels/${label.id}`);
    const reason = "FedEx: The shipment was tendered or closed.";
    expect([status, body.code, body.detail]).toEqual([
      409,
      "label_not_voidable",
      `${reason} The label stays purchased.`,
    ]);
    expect(await shop.read(label.id)).toMatchObject({ status: "purchased", refund: { state: "rejected" } });
  });

  test("whose response was lost is repeated and done once", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    standIn.inject("cut_after", { operation: "void" });
    expect((await shop.org.delete(`/shipments/labels/${label.id}`)).body).toMatchObject({ status: "voided" });
    expect(shop.journal("void")).toHaveLength(1);
  });
});
