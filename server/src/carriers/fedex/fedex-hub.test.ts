import { afterEach, describe, expect, test } from "vitest";
import { box, connectionFaults, customer, dock, hubBeside } from "../../testing/carriers/direct-carriers-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { fedex } from "./fedex.ts";

const { standIn, open, setClock } = await hubBeside(startWithAccount.fedex, fedex, "FEDEX_GROUND");
afterEach(() => standIn.calm());

const scan = { eventType: "AR", description: "Arrived at FedEx location", city: "NEWARK", state: "NJ" };

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
    expect((await lost.test()).problems).toMatchObject([{ part: "address" }]);
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
    const { id } = await shop.order();
    const actions = [
      { type: "choose_rate", params: { services: ["FEDEX_2_DAY"] } },
      { type: "buy_label", params: { options: { signature: "signature" } } },
    ];
    const body = { order_ids: [id], actions };
    const report = (await shop.org.post("/operations/preflight", body)).body;
    const { price } = report.orders[0].steps[1];
    expect(price).toMatchObject({ service: "FEDEX_2_DAY", currency: "USD", total: expect.any(Number) });
    const run = (await shop.org.post("/operations/run", body)).body;
    expect(run.results[0].steps[1].price).toEqual(price);
    await shop.tendLabels();
    const [labelId] = run.results[0].steps[1].label_ids;
    expect(await shop.read(labelId)).toMatchObject({ status: "purchased", cost: price.total, orderId: id });
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
    const file = await shop.org.get(`/shipments/labels/${label.id}/content`);
    expect([file.headers.get("content-type"), file.text.slice(0, 5)]).toEqual(["application/pdf", "%PDF-"]);
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
    const file = await shop.org.get(`/shipments/labels/${label.id}/content`);
    expect(file.headers.get("content-type")).toBe(type);
    expect(file.text.slice(0, 5)).toContain(begin);
  });

  test("of several parcels has a number, a file and a shipment for each, and one price", async () => {
    const shop = await open();
    const { body } = await shop.buy({ parcels: [box, box, box] });
    const { label } = body;
    const numbers = label.parcels.map(({ trackingNumber }: { trackingNumber: string }) => trackingNumber);
    expect(new Set(numbers).size).toBe(3);
    expect(shop.journal("buy")).toMatchObject([{ trackingNumbers: numbers }]);
    expect((await shop.org.get(`/shipments/labels/${label.id}/content?parcel=3`)).status).toBe(200);
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

describe("a purchase with a fault", () => {
  test.each(connectionFaults.refused)("%s: nothing was bought, and the next attempt buys once", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    const { status, body } = await shop.buy();
    expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 0]);
    expect(await shop.settle(body.label.id)).toMatchObject({ status: "purchased", failure: null });
    expect([shop.journal("buy").length, shop.requests("track_reference").length]).toEqual([1, 0]);
  });

  test("a block after too many requests is a refusal with the reason", async () => {
    const shop = await open();
    standIn.inject("blocked", { operation: "buy" });
    const { status, body } = await shop.buy();
    expect([status, body.code]).toEqual([409, "label_rejected"]);
    expect(body.detail).toContain("FedEx also refuses requests for ten minutes after too many of them.");
    expect(shop.journal("buy")).toEqual([]);
  });

  test.each(connectionFaults.lostBefore)("%s: nothing is bought twice, and a person is asked", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    if (fault.startsWith("hang")) fedex.timeouts = { createLabel: 500 };
    const { status, body } = await shop.buy();
    expect([status, body.label.status]).toEqual([202, "requested"]);
    const label = await shop.giveUp(body.label.id);
    expect(label).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    // With the reference by which a person finds it at FedEx.
    expect(label.failure.message).toMatch(/Check it at FedEx. \(reference \S+\)$/);
    expect(await shop.exceptions()).toMatchObject([{ code: "outcome_unknown", reason: label.failure.message }]);
    expect(shop.journal("buy")).toEqual([]);
    const [exception] = await shop.exceptions();
    const marked = await shop.org.post(`/exceptions/${exception.id}/resolve`, { action: "mark_not_purchased" });
    expect(marked.status).toBe(200);
  });

  test.each(connectionFaults.lostAfter)(
    "%s: the shipment that is found is cancelled, since FedEx prints no label twice, and bought again",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "buy" });
      if (fault.startsWith("hang")) fedex.timeouts = { createLabel: 500 };
      const { status, body } = await shop.buy();
      expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 1]);
      const label = await shop.settle(body.label.id);
      expect(label).toMatchObject({ status: "purchased", failure: null, contentType: "application/pdf" });
      const [first, second] = shop.journal("buy");
      expect([shop.journal("buy").length, shop.journal("void").length]).toEqual([2, 1]);
      expect(shop.journal("void")[0]!.trackingNumbers).toEqual(first!.trackingNumbers);
      expect(second!.trackingNumbers).toEqual([label.trackingNumber]);
      expect(await shop.exceptions()).toEqual([]);
    },
  );

  test("a shipment that FedEx reports late is waited for", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    standIn.inject("reference_late", { operation: "track_reference", times: 2 });
    const { id } = (await shop.buy()).body.label;
    expect(await shop.settle(id, [2, 6, 14, 30, 60])).toMatchObject({ status: "purchased" });
    expect([shop.journal("buy").length, shop.journal("void").length]).toEqual([2, 1]);
  });

  test("a repeat that is lost again cancels again, so that one label stays", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy", times: 2 });
    const { id } = (await shop.buy()).body.label;
    expect(await shop.settle(id, [2, 6, 14, 30, 60])).toMatchObject({ status: "purchased" });
    expect([shop.journal("buy").length, shop.journal("void").length]).toEqual([3, 2]);
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

describe("tracking", () => {
  test("follows a parcel by polls until it is delivered", async () => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    await shop.poll(31);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "pre_transit" });
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    await shop.poll(8 * 60);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "in_transit" });
    standIn.scan(trackingNumber, {
      ...scan,
      eventType: "DL",
      description: "Delivered",
      at: "2026-03-03T11:00:00-05:00",
    });
    await shop.poll(26 * 60);
    const shipment = await shop.shipment(trackingNumber);
    expect(shipment).toMatchObject({ status: "delivered", deliveredAt: "2026-03-03T16:00:00.000Z" });
  });

  test.each([
    ["events_without_zone", "in_transit", 2],
    ["tracking_number_reused", "in_transit", 2],
    ["duplicate_answer", "in_transit", 2],
    ["unknown_status", "in_transit", 2],
    ["track_late", "pre_transit", 0],
  ])("with the fault %s ends as %s", async (fault, status, count) => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    standIn.inject(fault, { operation: "track" });
    await shop.poll(8 * 60);
    const shipment = await shop.shipment(trackingNumber);
    expect(shipment.status).toBe(status);
    const { events } = (await shop.org.get(`/shipments/${shipment.id}`)).body;
    expect(events).toHaveLength(count);
    if (count > 0) expect(events.at(-1)).toMatchObject({ at: "2026-03-02T22:15:00.000Z" });
  });
});

describe("a pickup", () => {
  test("is booked, and cancelled with its location, day and network", async () => {
    const shop = await open();
    const { status, body } = await shop.book();
    expect([status, body.status, body.confirmationNumber]).toEqual([201, "scheduled", "1"]);
    expect(body.messages).toContain("Courier on the way");
    expect(shop.journal("pickup")).toMatchObject([{ carrierCode: "FDXE", date: "2026-03-03", location: "NJRA" }]);
    expect((await shop.org.delete(`/pickups/${body.id}`)).body.status).toBe("cancelled");
    expect(shop.journal("pickup_cancel")).toHaveLength(1);
  });

  test("that the courier has cannot be cancelled, and says why", async () => {
    const shop = await open();
    const { body } = await shop.book({ pickupDate: "2026-03-05" });
    standIn.dispatchPickup({ code: body.confirmationNumber, date: "2026-03-05", carrierCode: "FDXE" });
    const refused = await shop.org.delete(`/pickups/${body.id}`);
    expect(refused.text).toContain("The courier is on the way: the pickup cannot be cancelled.");
  });

  test.each(connectionFaults.refused)("with the fault %s is booked once, later", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "pickup" });
    const { body } = await shop.book();
    expect(body.status).toBe("requested");
    await shop.tendPickups(2);
    expect((await shop.org.get(`/pickups/${body.id}`)).body.status).toBe("scheduled");
    expect(shop.journal("pickup")).toHaveLength(1);
  });

  test.each(["cut_before", "cut_after", "error_after"])(
    "with the fault %s is not booked a second time: FedEx cannot be asked for it",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "pickup" });
      const { body } = await shop.book();
      for (let minutes = 2; minutes < 330; minutes += 11) await shop.tendPickups(minutes);
      const pickup = (await shop.org.get(`/pickups/${body.id}`)).body;
      expect(pickup).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
      expect(pickup.failure.message).toContain("Check it at FedEx.");
      expect(shop.journal("pickup")).toHaveLength(fault === "cut_before" ? 0 : 1);
      expect(await shop.exceptions()).toMatchObject([{ kind: "pickup", code: "outcome_unknown" }]);
      setClock(0);
    },
  );
});
