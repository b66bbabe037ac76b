import { afterEach, describe, expect, test } from "vitest";
import { box, customer, dock, hubBeside } from "../../testing/carriers/direct-carriers-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { usps } from "./usps.ts";

const { standIn, open } = await hubBeside(startWithAccount.usps, usps, "USPS_GROUND_ADVANTAGE");
afterEach(() => standIn.calm());

const card = {
  name: "Ground Advantage 2026",
  effectiveFrom: "2026-01-01",
  zoneScheme: "usps",
  services: [
    {
      code: "GROUND_ADVANTAGE",
      level: "ground",
      weightBreaks: [{ upTo: 1 }, { upTo: 5 }, { upTo: 10 }],
      rates: { "2": [6.1, 7.25, 9], "5": [7, 8.5, 11], "8": [9, 11, 14] },
    },
  ],
};

describe("the account test", () => {
  test("finds nothing wrong with a working account, with two requests", async () => {
    const shop = await open();
    expect(await shop.test()).toEqual({ ok: true, problems: [] });
    expect([shop.requests("token").length, shop.requests("payment").length]).toEqual([1, 1]);
  });

  test.each([
    [
      "client secret",
      { credentials: { clientId: "usps-client", clientSecret: "wrong" } },
      "key",
      "USPS does not accept the client ID or the client secret: Client authentication failed. (invalid_client).",
    ],
    [
      "CRID",
      { settings: { crid: "99999999" } },
      "account",
      "USPS: The CRID or the MID of a role is not valid, field roles.CRID (00000XX)",
    ],
    [
      "payment account",
      { settings: { accountNumber: "1999999999" } },
      "account",
      "USPS: The account of the PAYER is not valid, field roles.accountNumber (00000XX)",
    ],
    [
      "address",
      { settings: { baseUrl: "http://127.0.0.1:9" } },
      "address",
      "No connection to 127.0.0.1 (ECONNREFUSED). Check the API address in the settings of the account: http://127.0.0.1:9",
    ],
  ])(
    "names a wrong %s",
    async (_, wrong: { settings?: object; credentials?: Record<string, unknown> }, part, message) => {
      const shop = await open((account) => ({
        ...account,
        credentials: wrong.credentials ?? account.credentials,
        settings: { ...account.settings, ...wrong.settings },
      }));
      expect(await shop.test()).toEqual({ ok: false, problems: [{ part, message }] });
    },
  );

  test("names a missing permission and a quota that is used up", async () => {
    const shop = await open();
    standIn.inject("not_entitled", { operation: "payment" });
    expect((await shop.test()).problems).toMatchObject([{ part: "permission" }]);
    standIn.inject("rate_limit_without_header", { operation: "payment", times: 3 });
    expect((await shop.test()).problems).toMatchObject([{ part: "permission" }]);
  });
});

describe("prices", () => {
  test("from USPS are one for each mail class, to the cent", async () => {
    const { quote } = await open();
    const { status, body } = await quote();
    expect(status).toBe(200);
    expect(body.quotes.map(({ service }: { service: string }) => service).toSorted()).toEqual([
      "MEDIA_MAIL",
      "PRIORITY_MAIL",
      "PRIORITY_MAIL_EXPRESS",
      "USPS_GROUND_ADVANTAGE",
    ]);
    for (const { total } of body.quotes) expect(Math.round(total * 100) / 100).toBe(total);
  });

  test("from USPS need dimensions, and postal codes are enough as places", async () => {
    const { quote } = await open();
    const places = { origin: { zip: "07114", countryCode: "US" }, destination: { zip: "12207", countryCode: "US" } };
    expect((await quote(places)).status).toBe(200);
    const { body } = await quote({ ...places, dimensions: undefined });
    expect(body.detail).toBe("The dimensions of the parcel are missing. USPS requires length, width and height.");
  });

  test.each(["duplicate_rates", "one_object"])("with the fault %s are read as far as they go", async (fault) => {
    const { quote } = await open();
    const whole = (await quote()).body.quotes;
    standIn.inject(fault, { operation: "rate" });
    const { status, body } = await quote();
    expect(status).toBe(200);
    const isSingle = fault === "one_object";
    expect(body.quotes).toHaveLength(isSingle ? 1 : whole.length);
    for (const { service, total } of body.quotes) {
      const same = whole.find((one: { service: string }) => one.service === service);
      expect(total).toBe(same.total);
    }
  });

  test("come from the rate card by default, without a call to USPS", async () => {
    const shop = await open((account) => {
      const { quotes: _quotes, ...settings } = account.settings;
      return { ...account, settings };
    });
    expect((await shop.test()).problems).toMatchObject([{ part: "settings" }]);
    const uploaded = await shop.org.post(`/carrier-accounts/${shop.accountId}/rate-cards`, { card });
    expect([uploaded.status, uploaded.text]).toEqual([201, expect.any(String)]);
    expect(await shop.test()).toEqual({ ok: true, problems: [] });
    const { preflight, run, label } = await shop.runAtPrice({});
    expect(preflight).toMatchObject({ service: "GROUND_ADVANTAGE", currency: "USD" });
    expect(run).toEqual(preflight);
    // What USPS charged, which a card with other prices does not change.
    const [sale] = shop.journal("buy");
    expect(label).toMatchObject({ status: "purchased", service: "GROUND_ADVANTAGE" });
    expect([sale!.mailClass, sale!.totalCents]).toEqual(["USPS_GROUND_ADVANTAGE", Math.round(label.cost * 100)]);
    expect(shop.requests("rate")).toEqual([]);
  });

  test("the preflight shows what the run pays and the label costs", async () => {
    const shop = await open();
    const options = { signature: "signature" };
    const { preflight, run, label } = await shop.runAtPrice({ services: ["PRIORITY_MAIL"] }, { options });
    expect(preflight).toMatchObject({ service: "PRIORITY_MAIL", currency: "USD", total: expect.any(Number) });
    expect(run).toEqual(preflight);
    expect(label).toMatchObject({ status: "purchased", cost: preflight.total });
    expect(shop.journal("buy")).toMatchObject([{ totalCents: Math.round(preflight.total * 100) }]);
  });

  test("of the contract fall back to the published ones where USPS has none", async () => {
    const { quote } = await open((account) => ({
      ...account,
      settings: { ...account.settings, priceType: "CONTRACT" },
    }));
    const services = ["PRIORITY_MAIL"];
    const [own] = (await quote({ services })).body.quotes;
    standIn.inject("negotiated_missing", { operation: "rate" });
    const [published] = (await quote({ services })).body.quotes;
    expect(published.total).toBeGreaterThan(own.total);
  });

  test("of a partial list are those that came", async () => {
    const { quote } = await open();
    standIn.inject("partial_rates", { operation: "rate" });
    const { body } = await quote({ services: ["USPS_GROUND_ADVANTAGE", "PRIORITY_MAIL"] });
    expect(body.quotes).toHaveLength(1);
    expect(body.unavailable).toMatchObject([
      { service: "PRIORITY_MAIL", message: "USPS does not offer this service for this parcel." },
    ]);
  });
});

describe("a label", () => {
  test("is bought, printed and voided", async () => {
    const shop = await open();
    const { status, body } = await shop.buy();
    expect(status).toBe(201);
    const { label } = body;
    expect(label).toMatchObject({ status: "purchased", failure: null, contentType: "application/pdf" });
    const [quoted] = (await shop.quote({ services: ["USPS_GROUND_ADVANTAGE"] })).body.quotes;
    expect(label.cost).toBe(quoted.total);
    const file = await shop.print(label.id);
    expect(file).toEqual({ status: 200, type: "application/pdf", begin: "%PDF-" });
    expect((await shop.org.delete(`/shipments/labels/${label.id}`)).body).toMatchObject({
      status: "voided",
      refund: { state: "voided" },
    });
    expect(shop.journal("void")).toMatchObject([{ trackingNumber: label.trackingNumber }]);
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

  test("whose parts end with a line feed alone is read", async () => {
    const shop = await open();
    standIn.inject("bare_newlines", { operation: "buy" });
    expect((await shop.buy()).body.label).toMatchObject({ status: "purchased", contentType: "application/pdf" });
  });

  test("that comes without its file is kept, and the exception says where it is", async () => {
    const shop = await open();
    standIn.inject("label_missing", { operation: "buy" });
    const { label } = (await shop.buy()).body;
    expect(label).toMatchObject({ status: "purchased", failure: { code: "content_missing" } });
    expect(label.failure.message).toBe(
      `The carrier sent no label file. Download label ${label.trackingNumber} from the carrier.`,
    );
    expect(await shop.exceptions()).toMatchObject([{ code: "content_missing" }]);
    expect(shop.journal("buy")).toHaveLength(1);
  });

  test.each(["expired_token", "payment_expired"])(
    "is bought once with new tokens after %s in the middle of the purchase",
    async (fault) => {
      const shop = await open();
      standIn.inject("numbers_as_text", { operation: "token" });
      standIn.inject(fault, { operation: "buy" });
      expect((await shop.buy()).status).toBe(201);
      expect(shop.journal("buy")).toHaveLength(1);
      expect([shop.requests("token").length, shop.requests("payment").length]).toEqual([2, 2]);
    },
  );

  test("is not sold from an empty account, and the reason is shown", async () => {
    const shop = await open();
    standIn.inject("insufficient_funds", { operation: "buy" });
    const { status, body } = await shop.buy();
    expect([status, body.code]).toEqual([409, "label_rejected"]);
    expect(body.detail).toContain("USPS: The payment account does not have sufficient funds, field");
    expect(shop.journal("buy")).toEqual([]);
  });

  test.each([
    [
      "several parcels",
      { parcels: [box, box] },
      "USPS does not support several parcels in a shipment. Create a shipment for each parcel.",
    ],
    [
      "missing dimensions",
      { parcels: [{ weight: box.weight }] },
      "The dimensions of the parcel are missing. USPS requires length, width and height.",
    ],
    [
      "an address abroad",
      { to: { ...customer, countryCode: "CA", provinceCode: "ON", zip: "M5V 2T6" } },
      "USPS does not support international shipments with this account. Use an account of another carrier.",
    ],
    [
      "a payer",
      { options: { billTo: { party: "receiver", account: "1" } } },
      "USPS does not support billTo. USPS charges your own account.",
    ],
    [
      "Saturday delivery",
      { options: { saturdayDelivery: true } },
      "USPS does not support saturdayDelivery. USPS delivers on Saturdays anyway: leave it out.",
    ],
    [
      "an unknown service",
      { service: "Pony" },
      "USPS does not support the service Pony. Use USPS_GROUND_ADVANTAGE, PRIORITY_MAIL, PRIORITY_MAIL_EXPRESS, MEDIA_MAIL, LIBRARY_MAIL, BOUND_PRINTED_MATTER, PARCEL_SELECT, also as codes in your rate card.",
    ],
  ])("is refused for %s, and the reason is shown", async (_, more, message) => {
    const shop = await open();
    const { status, body } = await shop.buy(more);
    expect([status, body.code, body.detail]).toEqual([409, "label_rejected", message]);
    expect(await shop.exceptions()).toMatchObject([{ kind: "label", reason: message }]);
    expect(shop.requests("buy")).toEqual([]);
  });

  test("takes every option along to USPS, also those of a military address", async () => {
    const shop = await open();
    const item = {
      description: "Mug",
      quantity: 2,
      value: { amount: 8, currency: "USD" },
      weight: { value: 1, unit: "lb" },
    };
    const { status } = await shop.buy({
      to: { ...customer, city: "APO", provinceCode: "AE", zip: "09012" },
      options: {
        signature: "adult_signature",
        insuredValue: { amount: 120, currency: "USD" },
        references: ["PO 1", "Dept 2"],
        customs: {
          contents: "gift",
          incoterm: "DAP",
          taxIds: [{ type: "EIN", number: "12-3456789", countryCode: "US" }],
          items: [item],
        },
        extra: { carrierRelease: true, ignoreBadAddress: true },
      },
      reference: "Order 7",
    });
    expect(status).toBe(201);
    const sent = JSON.parse(shop.requests("buy")[0]!.body);
    expect(sent.packageDescription).toMatchObject({
      extraServices: [922, 930],
      packageOptions: { packageValue: 120 },
      carrierRelease: true,
    });
    const references = sent.packageDescription.customerReference;
    expect(references.map(({ referenceNumber }: { referenceNumber: string }) => referenceNumber)).toEqual([
      "Order 7",
      "PO 1",
      "Dept 2",
    ]);
    expect(sent.customsForm).toMatchObject({ customsContentType: "GIFT", exportersReference: "12-3456789" });
    expect(sent.toAddress.ignoreBadAddress).toBe(true);
  });

  test("for a return is bought as a return label", async () => {
    const shop = await open();
    const { status } = await shop.buy({ from: customer, to: dock, options: { isReturn: true } });
    expect(status).toBe(201);
    expect(shop.requests("buy")[0]!.url).toBe("/labels/v3/return-label");
  });
});
