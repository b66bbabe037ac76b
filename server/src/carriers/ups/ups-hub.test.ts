import { afterEach, describe, expect, test } from "vitest";
import { box, customer, dock, hubBeside } from "../../testing/carriers/direct-carriers-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { ups } from "./ups.ts";

const { standIn, open } = await hubBeside(startWithAccount.ups, ups, "03");
afterEach(() => standIn.calm());

describe("the account test", () => {
  test("finds nothing wrong with a working account", async () => {
    const shop = await open();
    expect(await shop.test()).toEqual({ ok: true, problems: [] });
    expect(shop.journal("buy")).toEqual([]);
  });

  test.each([
    ["client ID", { clientId: "nobody", clientSecret: "ups-secret" }],
    ["client secret", { clientId: "ups-client", clientSecret: "wrong" }],
  ])("names a wrong %s", async (_, credentials) => {
    const shop = await open((account) => ({ ...account, credentials }));
    const message = "UPS does not accept the client ID or the client secret: ClientId is Invalid (10401).";
    expect(await shop.test()).toEqual({ ok: false, problems: [{ part: "key", message }] });
  });

  test("names an account number whose prices UPS does not give", async () => {
    const shop = await open((account) => ({ ...account, settings: { ...account.settings, accountNumber: "ZZZZZZ" } }));
    const { ok, problems } = await shop.test();
    expect([ok, problems[0].part]).toEqual([false, "account"]);
    expect(problems[0].message).toContain("Check the account number ZZZZZZ");
  });

  test("names a missing permission, a quota that is used up and an address where UPS is not", async () => {
    const shop = await open();
    standIn.inject("expired_token", { operation: "rate", times: 2 });
    expect((await shop.test()).problems).toMatchObject([{ part: "key" }]);
    standIn.inject("rate_limit_without_header", { operation: "rate", times: 3 });
    const { problems } = await shop.test();
    expect(problems).toEqual([{ part: "permission", message: "UPS: Too Many Requests (10429)" }]);
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
  test("are the account's own, with the published price beside them", async () => {
    const { quote } = await open();
    const { status, body } = await quote();
    expect([status, body.quotes.length]).toEqual([200, 7]);
    const [ground] = body.quotes;
    expect(ground).toMatchObject({ service: "03", serviceName: "UPS Ground", level: "ground", currency: "USD" });
    expect(ground.listTotal).toBeGreaterThan(ground.total);
    expect(ground.transitDays).toBeGreaterThan(0);
  });

  test("need no more than postal codes and countries", async () => {
    const { quote } = await open();
    const { status, body } = await quote({
      origin: { zip: "07114", countryCode: "US" },
      destination: { zip: "12207", countryCode: "US" },
    });
    expect([status, body.quotes.length]).toEqual([200, 7]);
    const lacking = await quote({ origin: { zip: "07114" }, destination: { zip: "12207", countryCode: "US" } });
    expect([lacking.status, lacking.body.detail]).toEqual([
      400,
      "The country code of the sender's address is missing.",
    ]);
  });

  test.each(["partial_rates", "duplicate_rate", "single_object", "negotiated_missing"])(
    "a response with the fault %s is read as far as it goes",
    async (fault) => {
      const { quote } = await open();
      const whole = (await quote({ services: ["03"] })).body.quotes[0];
      standIn.inject(fault, { operation: "rate" });
      const { body } = await quote(fault === "single_object" ? { services: ["03"] } : {});
      const grounds = body.quotes.filter(({ service }: { service: string }) => service === "03");
      const isPublished = fault === "negotiated_missing";
      expect(grounds[0]).toMatchObject(
        isPublished ? { total: whole.listTotal, listTotal: null } : { total: whole.total, listTotal: whole.listTotal },
      );
      expect(grounds).toHaveLength(1);
    },
  );

  test("services that UPS leaves out are named with the reason", async () => {
    const { quote } = await open();
    standIn.inject("partial_rates", { operation: "rate" });
    const { body } = await quote({ services: ["03", "01"] });
    expect(body.unavailable).toEqual([
      {
        service: "01",
        serviceName: "UPS Next Day Air",
        reason: "not_serviceable",
        message: "UPS does not offer this service for this shipment.",
      },
    ]);
  });

  test("a carrier that is down gives no price, and says so", async () => {
    const { quote } = await open();
    standIn.inject("html", { operation: "rate", times: 3 });
    const { status, body } = await quote();
    expect([status, body.code, body.detail]).toEqual([502, "carrier_failed", "UPS answered 502 without a reason."]);
  });

  test("the preflight shows what the run pays and the label costs", async () => {
    const shop = await open();
    const { orderId, preflight, run, label } = await shop.runAtPrice({ services: ["03"] });
    expect(preflight).toMatchObject({ service: "03", currency: "USD", total: expect.any(Number) });
    expect(run).toEqual(preflight);
    expect(label).toMatchObject({ status: "purchased", cost: preflight.total, orderId, carrier: "ups" });
    expect(shop.journal("buy")).toMatchObject([{ totalCents: Math.round(preflight.total * 100), service: "03" }]);
    expect((await shop.org.get(`/orders/${orderId}`)).body.status).toBe("shipped");
  });
});

describe("a label", () => {
  test("is bought, printed and voided; the void is not sent twice", async () => {
    const shop = await open();
    const { status, body } = await shop.buy();
    expect(status).toBe(201);
    const { label, shipment } = body;
    expect(label).toMatchObject({ status: "purchased", failure: null, contentType: "image/png", currency: "USD" });
    expect(label.trackingNumber).toMatch(/^1Z/);
    expect(shipment).toMatchObject({ carrier: "ups", cost: label.cost, status: "pre_transit" });
    expect(shop.journal("buy")).toMatchObject([
      { trackingNumbers: [label.trackingNumber], references: [label.reference, expect.any(String)] },
    ]);
    const file = await shop.print(label.id);
    expect(file).toEqual({ status: 200, type: "image/png", begin: expect.stringContaining("PNG") });
    const voided = await shop.org.delete(`/shipments/labels/${label.id}`);
    expect(voided.body).toMatchObject({ status: "voided", refund: { state: "voided" } });
    await shop.org.delete(`/shipments/labels/${label.id}`);
    expect(shop.journal("void")).toHaveLength(1);
  });

  test.each([
    ["gif", {}, "image/gif", "GIF8"],
    ["png", { options: { label: { format: "zpl" } } }, "application/zpl", "^XA"],
  ])("of an account with %s labels and the options %o is a file of type %s", async (labelFormat, more, type, begin) => {
    const shop = await open((account) => ({ ...account, settings: { ...account.settings, labelFormat } }));
    const { label } = (await shop.buy(more)).body;
    const file = await shop.print(label.id);
    expect(file).toEqual({ status: 200, type, begin: expect.stringContaining(begin) });
  });

  test("of several parcels has a number, a file and a shipment for each, and one price", async () => {
    const shop = await open();
    const { status, body } = await shop.buy({ parcels: [box, { ...box, reference: "Box 2" }, box] });
    expect(status).toBe(201);
    const { label } = body;
    const numbers = label.parcels.map(({ trackingNumber }: { trackingNumber: string }) => trackingNumber);
    expect(new Set(numbers).size).toBe(3);
    expect(shop.journal("buy")).toMatchObject([{ trackingNumbers: numbers, totalCents: Math.round(label.cost * 100) }]);
    expect(await shop.print(label.id, "?parcel=3")).toMatchObject({ status: 200, type: "image/png" });
    await shop.org.delete(`/shipments/labels/${label.id}`);
    expect(shop.journal("void")).toMatchObject([{ trackingNumbers: numbers }]);
    expect((await shop.shipment(numbers[2])).status).toBe("cancelled");
  });

  test("without a negotiated price costs the published one, as UPS charges it", async () => {
    const shop = await open();
    const [ground] = (await shop.quote({ services: ["03"] })).body.quotes;
    standIn.inject("negotiated_missing", { operation: "buy" });
    const { label } = (await shop.buy()).body;
    expect(label.cost).toBe(ground.listTotal);
    expect(shop.journal("buy")).toMatchObject([{ totalCents: Math.round(ground.listTotal * 100) }]);
  });

  test("comes as one object instead of a list", async () => {
    const shop = await open();
    standIn.inject("single_object", { operation: "buy" });
    expect((await shop.buy()).body.label).toMatchObject({ status: "purchased", contentType: "image/png" });
  });

  test("whose token expired in the middle of the purchase is bought once with a new one", async () => {
    const shop = await open();
    await shop.buy();
    standIn.expireTokens();
    expect((await shop.buy()).status).toBe(201);
    standIn.inject("expired_token", { operation: "buy" });
    expect((await shop.buy()).status).toBe(201);
    expect([shop.journal("buy").length, shop.requests("token").length]).toEqual([3, 3]);
  });

  test.each([
    [
      "a phone number that UPS needs abroad",
      { to: { ...customer, phone: undefined, countryCode: "CA", provinceCode: "ON", zip: "M5V 2T6" }, service: "65" },
      "UPS: Missing ShipTo phone number. (120213)",
    ],
    [
      "a service that UPS does not offer there",
      { service: "65" },
      "UPS: The requested service is unavailable between the selected locations. (121210)",
    ],
    [
      "a parcel that is too heavy",
      { parcels: [{ weight: { value: 200, unit: "lb" } }] },
      "UPS: The maximum per package weight for the selected service is 150.00 pounds. (120124)",
    ],
    [
      "an option that has no effect",
      { options: { extra: { returnService: "one_attempt" } } },
      "UPS does not support extra.returnService for shipments to a customer. Set isReturn, or leave it out.",
    ],
    [
      "a size that UPS does not print",
      { options: { label: { size: "letter" } } },
      "UPS does not support labels of size letter. Use label.size 4x6.",
    ],
    [
      "a street that does not fit",
      { to: { ...customer, address1: "x".repeat(40) } },
      "The street of the recipient's address is too long: UPS prints 3 lines of 35 characters.",
    ],
  ])("is refused for %s, and the reason is shown", async (_, more, message) => {
    const shop = await open();
    const { status, body } = await shop.buy(more);
    expect([status, body.code, body.detail]).toEqual([409, "label_rejected", message]);
    expect(await shop.read(body.labelId)).toMatchObject({ status: "failed", failure: { message } });
    expect(await shop.exceptions()).toMatchObject([{ kind: "label", reason: message, status: "open" }]);
    expect(shop.journal("buy")).toEqual([]);
  });

  test("takes every option along to UPS", async () => {
    const shop = await open();
    const { status, text } = await shop.buy({
      options: {
        residential: true,
        signature: "adult_signature",
        saturdayDelivery: true,
        insuredValue: { amount: 120, currency: "USD" },
        billTo: { party: "third_party", account: "B2C3D4", countryCode: "US", zip: "10118" },
        references: ["PO 1", "Dept 2"],
        extra: { additionalHandling: true, directDelivery: true, carbonNeutral: true, shipperRelease: false },
      },
      service: "02",
    });
    expect([status, text]).toEqual([201, expect.any(String)]);
    const sent = JSON.parse(shop.requests("buy")[0]!.body).ShipmentRequest.Shipment;
    expect(sent.ShipTo.Address).toHaveProperty("ResidentialAddressIndicator");
    expect(sent.ShipmentServiceOptions).toMatchObject({
      SaturdayDeliveryIndicator: "",
      DirectDeliveryOnlyIndicator: "",
    });
    expect(sent.Package[0].PackageServiceOptions).toMatchObject({
      DeliveryConfirmation: { DCISType: "3" },
      DeclaredValue: { MonetaryValue: "120.00" },
    });
    expect(sent.Package[0].ReferenceNumber.map(({ Value }: { Value: string }) => Value)).toEqual(
      expect.arrayContaining(["PO 1", "Dept 2"]),
    );
    expect(sent.PaymentInformation.ShipmentCharge[0].BillThirdParty.AccountNumber).toBe("B2C3D4");
  });

  test("for a return names the customer as sender and the shop as shipper", async () => {
    const shop = await open();
    const { status, body } = await shop.buy({ from: customer, to: dock, options: { isReturn: true } });
    expect([status, body.label.status]).toEqual([201, "purchased"]);
    const sent = JSON.parse(shop.requests("buy")[0]!.body).ShipmentRequest.Shipment;
    expect([sent.ReturnService.Code, sent.ShipFrom.Name, sent.Shipper.Name]).toEqual(["9", "Ada Byron", "Byron Mugs"]);
    const returns = await shop.quote({ options: { isReturn: true } });
    expect([returns.status, returns.body.quotes.length > 0]).toEqual([200, true]);
  });
});

describe("a void", () => {
  test("that UPS refuses leaves the label as it is, with the reason", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    standIn.inject("void_refused", { operation: "void" });
    const { status, body } = await shop.org.delete(`/shipments/labels/${label.id}`);
    const reason = "UPS: No shipment found within the allowed void period (190102)";
    expect([status, body.code, body.detail]).toEqual([
      409,
      "label_not_voidable",
      `${reason} The label stays purchased.`,
    ]);
    expect(await shop.read(label.id)).toMatchObject({
      status: "purchased",
      refund: { state: "rejected", message: reason },
    });
    expect(await shop.exceptions()).toMatchObject([{ code: "void_rejected" }]);
  });

  test("whose response was lost is repeated and done once", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    standIn.inject("cut_after", { operation: "void" });
    const { body } = await shop.org.delete(`/shipments/labels/${label.id}`);
    expect(body).toMatchObject({ status: "voided" });
    expect(shop.journal("void")).toHaveLength(1);
  });
});
