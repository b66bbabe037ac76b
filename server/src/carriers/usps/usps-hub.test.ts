import { afterEach, describe, expect, test } from "vitest";
import { box, connectionFaults, customer, dock, hubBeside } from "../../testing/carriers/direct-carriers-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { startUsps } from "../../testing/carriers/usps/stand-in-usps.ts";
import { usps } from "./usps.ts";

const { hub, standIn, open } = await hubBeside(startWithAccount.usps, usps, "USPS_GROUND_ADVANTAGE");
afterEach(() => standIn.calm());

const scan = { eventCode: "10", eventType: "Processed Through Facility", city: "NEWARK", state: "NJ", zip: "07114" };
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
      "No connection to 127.0.0.1 (ECONNREFUSED).",
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

  test("come from the rate card by default, without a call to USPS", async () => {
    const shop = await open((account) => {
      const { quotes: _quotes, ...settings } = account.settings;
      return { ...account, settings };
    });
    expect((await shop.test()).problems).toMatchObject([{ part: "settings" }]);
    const uploaded = await shop.org.post(`/carrier-accounts/${shop.accountId}/rate-cards`, { card });
    expect([uploaded.status, uploaded.text]).toEqual([201, expect.any(String)]);
    expect(await shop.test()).toEqual({ ok: true, problems: [] });
    const { id } = await shop.order();
    const actions = [
      { type: "choose_rate", params: {} },
      { type: "buy_label", params: {} },
    ];
    const body = { order_ids: [id], actions };
    const { price } = (await shop.org.post("/operations/preflight", body)).body.orders[0].steps[1];
    expect(price).toMatchObject({ service: "GROUND_ADVANTAGE", currency: "USD" });
    const run = (await shop.org.post("/operations/run", body)).body;
    expect(run.results[0].steps[1].price).toEqual(price);
    await shop.tendLabels();
    const label = await shop.read(run.results[0].steps[1].label_ids[0]);
    // What USPS charged, which a card with other prices does not change.
    const [sale] = shop.journal("buy");
    expect(label).toMatchObject({ status: "purchased", service: "GROUND_ADVANTAGE" });
    expect([sale!.mailClass, sale!.totalCents]).toEqual(["USPS_GROUND_ADVANTAGE", Math.round(label.cost * 100)]);
    expect(shop.requests("rate")).toEqual([]);
  });

  test("the preflight shows what the run pays and the label costs", async () => {
    const shop = await open();
    const { id } = await shop.order();
    const actions = [
      { type: "choose_rate", params: { services: ["PRIORITY_MAIL"] } },
      { type: "buy_label", params: { options: { signature: "signature" } } },
    ];
    const body = { order_ids: [id], actions };
    const { price } = (await shop.org.post("/operations/preflight", body)).body.orders[0].steps[1];
    expect(price).toMatchObject({ service: "PRIORITY_MAIL", currency: "USD", total: expect.any(Number) });
    const run = (await shop.org.post("/operations/run", body)).body;
    expect(run.results[0].steps[1].price).toEqual(price);
    await shop.tendLabels();
    const label = await shop.read(run.results[0].steps[1].label_ids[0]);
    expect(label).toMatchObject({ status: "purchased", cost: price.total });
    expect(shop.journal("buy")).toMatchObject([{ totalCents: Math.round(price.total * 100) }]);
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

describe("the quota of 60 calls an hour", () => {
  test("leaves a label waiting until a call is free again, and it is bought once", async () => {
    const shop = await open();
    const strict = await startUsps({ callsPerHour: 60, now: () => hub.world.clock.now() });
    try {
      await shop.org.patch(`/carrier-accounts/${shop.accountId}`, {
        settings: { ...shop.settings, baseUrl: strict.url },
        credentials: { clientId: strict.clientId, clientSecret: strict.clientSecret },
      });
      // The first label takes three calls: access token, payment token, label.
      expect((await shop.buy()).status).toBe(201);
      for (let calls = strict.requests.length; calls < 60; calls++) expect((await shop.quote()).status).toBe(200);
      const refused = await shop.quote();
      expect([refused.status, refused.body.detail]).toEqual([
        502,
        "USPS: The quota of calls an hour is used up (00000XX)",
      ]);
      const { status, body } = await shop.buy();
      expect([status, body.label.status]).toEqual([202, "requested"]);
      expect(await shop.settle(body.label.id, [2, 30, 59])).toMatchObject({ status: "requested" });
      expect(await shop.settle(body.label.id, [61, 62, 75, 90, 130])).toMatchObject({ status: "purchased" });
      expect(strict.journal("buy")).toHaveLength(2);
      // Waiting takes no calls: the carrier named the time.
      expect(strict.requests.filter(({ operation }) => operation === "buy").length).toBeLessThanOrEqual(4);
    } finally {
      await strict.close();
    }
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
    const file = await shop.org.get(`/shipments/labels/${label.id}/content`);
    expect([file.headers.get("content-type"), file.text.slice(0, 5)]).toEqual(["application/pdf", "%PDF-"]);
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
    const file = await shop.org.get(`/shipments/labels/${label.id}/content`);
    expect(file.headers.get("content-type")).toBe(type);
    expect(file.text.slice(0, 5)).toContain(begin);
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

describe("a purchase with a fault", () => {
  test.each([...connectionFaults.refused, ...connectionFaults.lostBefore])(
    "%s: the next attempt buys once under the same key",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "buy" });
      if (fault.startsWith("hang")) usps.timeouts = { createLabel: 500 };
      const { status, body } = await shop.buy();
      expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 0]);
      expect(await shop.settle(body.label.id)).toMatchObject({ status: "purchased", failure: null });
      expect(shop.journal("buy")).toHaveLength(1);
      expect(await shop.exceptions()).toEqual([]);
    },
  );

  test.each(connectionFaults.lostAfter)(
    "%s: the same key returns the same label, with price and file",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "buy" });
      if (fault.startsWith("hang")) usps.timeouts = { createLabel: 500 };
      const { status, body } = await shop.buy();
      expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 1]);
      const label = await shop.settle(body.label.id);
      const [sale] = shop.journal("buy");
      expect(label).toMatchObject({
        status: "purchased",
        failure: null,
        contentType: "application/pdf",
        trackingNumber: sale!.trackingNumber,
        cost: Number(sale!.totalCents) / 100,
      });
      expect(shop.journal("buy")).toHaveLength(1);
    },
  );

  test("a repeat on the next day finds the label by its key, since the mailing date has changed", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    const { id } = (await shop.buy({ shipDate: "2026-03-03" })).body.label;
    await shop.org.patch(`/carrier-accounts/${shop.accountId}`, { settings: { ...shop.settings, labelFormat: "png" } });
    const label = await shop.settle(id);
    expect(label).toMatchObject({ status: "purchased", contentType: "image/png" });
    expect([shop.journal("buy").length, shop.journal("reprint").length]).toEqual([1, 1]);
  });

  test("a label that USPS does not reprint any more ends as an unknown outcome with the reason", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    const { id } = (await shop.buy()).body.label;
    const nextDay = 24 * 60;
    const label = await shop.settle(
      id,
      Array.from({ length: 30 }, (_, index) => nextDay + 11 * index),
    );
    expect(label).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    expect(label.failure.message).toContain("Label is unavailable for reprint past its mailingDate of 2026-03-02");
    expect(shop.journal("buy")).toHaveLength(1);
  });
});

describe("a void", () => {
  test("after the manifest is a refund that USPS decides about later", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    shop.setClock(2 * 24 * 60);
    const voided = await shop.org.delete(`/shipments/labels/${label.id}`);
    expect(voided.body).toMatchObject({ status: "voided", refund: { state: "submitted" } });
    expect(shop.journal("refund")).toHaveLength(1);
  });

  test("that USPS refuses leaves the label as it is, with the reason", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    shop.setClock(2 * 24 * 60);
    standIn.inject("refund_refused", { operation: "void" });
    const { status, body } = await shop.org.delete(`/shipments/labels/${label.id}`);
    expect([status, body.code]).toEqual([409, "label_not_voidable"]);
    expect(body.detail).toContain("USPS: A refund request for this order cannot be submitted");
    expect(await shop.read(label.id)).toMatchObject({ status: "purchased", refund: { state: "rejected" } });
  });

  test("whose response was lost is repeated, and the label that is gone counts as voided", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    standIn.inject("hang_after", { operation: "void" });
    usps.timeouts = { voidLabel: 500 };
    const lost = await shop.org.delete(`/shipments/labels/${label.id}`);
    expect([lost.status, lost.body.code]).toEqual([502, "carrier_failed"]);
    shop.setClock(3);
    await shop.tendLabels();
    expect(await shop.read(label.id)).toMatchObject({ status: "voided", refund: { state: "voided" } });
    expect(shop.journal("void")).toHaveLength(1);
  });
});

describe("tracking", () => {
  test("follows a parcel by polls until it is delivered", async () => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    standIn.inject("track_late", { operation: "track" });
    await shop.poll(31);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "pre_transit" });
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    await shop.poll(8 * 60);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "in_transit" });
    const delivered = { eventCode: "01", eventType: "Delivered, In/At Mailbox", at: "2026-03-03T11:00:00-05:00" };
    standIn.scan(trackingNumber, { ...scan, ...delivered });
    await shop.poll(26 * 60);
    expect(await shop.shipment(trackingNumber)).toMatchObject({
      status: "delivered",
      deliveredAt: "2026-03-03T16:00:00.000Z",
    });
  });

  test.each(["events_without_zone", "tracking_number_reused", "unknown_status"])(
    "with the fault %s has the events of this parcel at the right time",
    async (fault) => {
      const shop = await open();
      const { trackingNumber } = (await shop.buy()).body.label;
      standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
      standIn.inject(fault, { operation: "track" });
      await shop.poll(8 * 60);
      const shipment = await shop.shipment(trackingNumber);
      expect(shipment.status).toBe("in_transit");
      const { events } = (await shop.org.get(`/shipments/${shipment.id}`)).body;
      expect(events).toHaveLength(2);
      expect(events.at(-1)).toMatchObject({ at: "2026-03-02T22:15:00.000Z", description: scan.eventType });
    },
  );
});

describe("a pickup", () => {
  test("is booked for a day, and cancelled with the version of its booking", async () => {
    const shop = await open();
    const { status, body } = await shop.book({ readyTime: undefined, closeTime: undefined });
    expect([status, body.status]).toEqual([201, "scheduled"]);
    expect(shop.journal("pickup")).toMatchObject([{ number: body.confirmationNumber }]);
    expect((await shop.org.delete(`/pickups/${body.id}`)).body.status).toBe("cancelled");
    expect(shop.journal("pickup_cancel")).toMatchObject([{ number: body.confirmationNumber }]);
  });

  test.each([
    [
      "a way to confirm it",
      { email: undefined, phone: undefined },
      "The pickup's address has neither an email address nor a phone number of ten digits. USPS requires one.",
    ],
    [
      "a name",
      { name: undefined, company: undefined },
      "The name of the pickup's address is missing. USPS requires one.",
    ],
  ])("without %s is refused with the reason", async (_, without, message) => {
    const shop = await open();
    const { status, body } = await shop.book({ pickupAddress: { ...dock, ...without } });
    expect([status, body.detail]).toEqual([502, message]);
    expect(shop.journal("pickup")).toEqual([]);
  });

  test.each(["rate_limit", "cut_before", "cut_after"])("with the fault %s is booked once or unknown", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "pickup" });
    const { body } = await shop.book({ pickupDate: "2026-03-04" });
    expect(body.status).toBe("requested");
    for (let minutes = 2; minutes < 330; minutes += 11) await shop.tendPickups(minutes);
    const pickup = (await shop.org.get(`/pickups/${body.id}`)).body;
    const isKnown = fault === "rate_limit";
    expect(pickup.status).toBe(isKnown ? "scheduled" : "failed");
    if (!isKnown) expect(pickup.failure).toMatchObject({ code: "outcome_unknown" });
    expect(shop.journal("pickup")).toHaveLength(fault === "cut_before" ? 0 : 1);
    if (isKnown) await shop.org.delete(`/pickups/${body.id}`);
  });
});
