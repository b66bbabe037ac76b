import { afterEach, describe, expect, test } from "vitest";
import { box, connectionFaults, customer, dock, hubBeside } from "../../testing/carriers/direct-carriers-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { ups } from "./ups.ts";

const { standIn, open, setClock } = await hubBeside(startWithAccount.ups, ups, "03");
afterEach(() => standIn.calm());

const scan = { type: "I", code: "AR", description: "Arrived at Facility", city: "Newark", state: "NJ" };

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
    expect((await lost.test()).problems).toMatchObject([{ part: "address" }]);
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
      502,
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
    const { id } = await shop.order();
    const actions = [
      { type: "choose_rate", params: { services: ["03"] } },
      { type: "buy_label", params: {} },
    ];
    const body = { order_ids: [id], actions };
    const report = (await shop.org.post("/operations/preflight", body)).body;
    const { price } = report.orders[0].steps[1];
    expect(price).toMatchObject({ service: "03", currency: "USD", total: expect.any(Number) });
    expect(shop.journal("buy")).toEqual([]);
    const run = (await shop.org.post("/operations/run", body)).body;
    expect(run.results[0].steps[1].price).toEqual(price);
    await shop.tendLabels();
    const [labelId] = run.results[0].steps[1].label_ids;
    const label = await shop.read(labelId);
    expect(label).toMatchObject({ status: "purchased", cost: price.total, orderId: id, carrier: "ups" });
    expect(shop.journal("buy")).toMatchObject([{ totalCents: Math.round(price.total * 100), service: "03" }]);
    expect((await shop.org.get(`/orders/${id}`)).body.status).toBe("shipped");
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
    const file = await shop.org.get(`/shipments/labels/${label.id}/content`);
    expect([file.status, file.headers.get("content-type"), file.text.slice(1, 4)]).toEqual([200, "image/png", "PNG"]);
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
    const file = await shop.org.get(`/shipments/labels/${label.id}/content`);
    expect([file.headers.get("content-type"), file.text.slice(0, begin.length)]).toEqual([type, begin]);
  });

  test("of several parcels has a number, a file and a shipment for each, and one price", async () => {
    const shop = await open();
    const { status, body } = await shop.buy({ parcels: [box, { ...box, reference: "Box 2" }, box] });
    expect(status).toBe(201);
    const { label } = body;
    const numbers = label.parcels.map(({ trackingNumber }: { trackingNumber: string }) => trackingNumber);
    expect(new Set(numbers).size).toBe(3);
    expect(shop.journal("buy")).toMatchObject([{ trackingNumbers: numbers, totalCents: Math.round(label.cost * 100) }]);
    const third = await shop.org.get(`/shipments/labels/${label.id}/content?parcel=3`);
    expect([third.status, third.headers.get("content-type")]).toEqual([200, "image/png"]);
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

describe("a purchase with a fault", () => {
  test.each(connectionFaults.refused)("%s: nothing was bought, and the next attempt buys once", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    const { status, body } = await shop.buy();
    expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 0]);
    expect(await shop.settle(body.label.id)).toMatchObject({ status: "purchased", failure: null });
    expect([shop.journal("buy").length, shop.requests("recover").length]).toEqual([1, 0]);
  });

  test.each(connectionFaults.lostBefore)("%s: the label is looked up, then bought once", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    if (fault.startsWith("hang")) ups.timeouts = { createLabel: 500 };
    const { status, body } = await shop.buy();
    expect([status, body.label.status]).toEqual([202, "requested"]);
    expect(await shop.settle(body.label.id)).toMatchObject({ status: "purchased", failure: null });
    expect(shop.journal("buy")).toHaveLength(1);
    expect(shop.requests("recover").length).toBeGreaterThan(0);
    expect(await shop.exceptions()).toEqual([]);
  });

  test.each(connectionFaults.lostAfter)("%s: the label that was bought is found, with its file", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    if (fault.startsWith("hang")) ups.timeouts = { createLabel: 500 };
    const { status, body } = await shop.buy();
    expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 1]);
    const label = await shop.settle(body.label.id);
    // UPS tells no price of a label that it finds again, and makes no PNG of it.
    expect(label).toMatchObject({ status: "purchased", cost: null, contentType: "application/pdf", failure: null });
    const [sale] = shop.journal("buy");
    expect([shop.journal("buy").length, sale!.trackingNumbers]).toEqual([1, [label.trackingNumber]]);
    expect((await shop.org.get(`/shipments/labels/${label.id}/content`)).text.slice(0, 5)).toBe("%PDF-");
  });

  test("a look-up that is late or fails is repeated, and never taken for a label that was not bought", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    standIn.inject("recovery_late", { operation: "recover" });
    const { id } = (await shop.buy()).body.label;
    setClock(1.6);
    await shop.tendLabels();
    expect([(await shop.read(id)).status, shop.requests("recover").length]).toEqual(["requested", 1]);
    standIn.inject("error_before", { operation: "recover", times: 3 });
    expect(await shop.settle(id, [6, 14, 30])).toMatchObject({ status: "purchased" });
    expect(shop.journal("buy")).toHaveLength(1);
  });

  test("the label is found as GIF whatever was asked for", async () => {
    const shop = await open((account) => ({ ...account, settings: { ...account.settings, labelFormat: "zpl" } }));
    standIn.inject("cut_after", { operation: "buy" });
    standIn.inject("recovery_gif", { operation: "recover" });
    const { id } = (await shop.buy()).body.label;
    expect(await shop.settle(id)).toMatchObject({ status: "purchased", contentType: "image/gif" });
  });

  test("a look-up that UPS refuses ends as an unknown outcome that a person resolves", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    standIn.inject("expired_token", { operation: "recover", times: 1000 });
    const { id } = (await shop.buy()).body.label;
    const label = await shop.giveUp(id);
    expect(label).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    expect(label.failure.message).toContain("UPS may have carried out an earlier attempt at this label");
    const [exception] = await shop.exceptions();
    expect(exception).toMatchObject({ code: "outcome_unknown", kind: "label" });
    const actions = exception.availableActions.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(["retry", "mark_purchased", "mark_not_purchased"]));
    expect(shop.journal("buy")).toHaveLength(1);
    standIn.calm();
    expect((await shop.org.post(`/shipments/labels/${id}/retry`)).body.label.status).toBe("purchased");
    expect(shop.journal("buy")).toHaveLength(1);
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

describe("tracking", () => {
  test("follows a parcel by polls until it is delivered", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    const { trackingNumber } = label;
    await shop.poll(31);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "pre_transit" });
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    await shop.poll(8 * 60);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "in_transit" });
    standIn.scan(trackingNumber, {
      ...scan,
      type: "D",
      code: "FS",
      description: "DELIVERED ",
      at: "2026-03-03T11:00:00-05:00",
    });
    await shop.poll(26 * 60);
    const shipment = await shop.shipment(trackingNumber);
    expect(shipment).toMatchObject({ status: "delivered", deliveredAt: "2026-03-03T16:00:00.000Z" });
    const { events } = (await shop.org.get(`/shipments/${shipment.id}`)).body;
    expect(events.map(({ at }: { at: string }) => at)).toEqual([
      "2026-03-02T15:00:00.000Z",
      "2026-03-02T22:15:00.000Z",
      "2026-03-03T16:00:00.000Z",
    ]);
  });

  test.each([
    ["events_without_zone", "in_transit", "2026-03-02T22:15:00.000Z"],
    ["gmt_time_without_colons", "in_transit", "2026-03-02T22:15:00.000Z"],
    ["tracking_number_reused", "in_transit", "2026-03-02T22:15:00.000Z"],
    ["unknown_status", "unknown", "2026-03-02T22:15:00.000Z"],
  ])("with the fault %s ends as %s", async (fault, status, at) => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    standIn.inject(fault, { operation: "track" });
    await shop.poll(8 * 60);
    const shipment = await shop.shipment(trackingNumber);
    expect(shipment.status).toBe(status);
    const { events } = (await shop.org.get(`/shipments/${shipment.id}`)).body;
    expect(events.at(-1)).toMatchObject({ at, description: "Arrived at Facility" });
    expect(events).toHaveLength(2);
  });

  test.each([undefined, "not_found_404"])("a number that UPS does not know yet waits (%s)", async (fault) => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    const other = await shop.org.post("/shipments", { trackingNumber: "1ZA1B2C30399999999", carrier: "ups" });
    if (fault) standIn.inject(fault, { operation: "track" });
    await shop.poll(31);
    expect((await shop.shipment(trackingNumber)).lastPolledAt).not.toBeNull();
    expect(await shop.shipment(other.body.trackingNumber)).toMatchObject({ status: "pre_transit" });
  });

  test("a poll that UPS does not answer is repeated", async () => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T10:20:00-05:00" });
    standIn.inject("html", { operation: "track", times: 3 });
    await shop.poll(31);
    expect((await shop.shipment(trackingNumber)).status).toBe("pre_transit");
    await shop.poll(65);
    expect((await shop.shipment(trackingNumber)).status).toBe("in_transit");
  });
});

describe("a pickup", () => {
  test("is booked with its price, followed and cancelled", async () => {
    const shop = await open();
    const { status, body } = await shop.book();
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: "scheduled", fee: { amount: 6.5, currency: "USD" } });
    expect(shop.journal("pickup")).toMatchObject([{ prn: body.confirmationNumber, date: "20260303" }]);
    standIn.setPickupStatus(body.confirmationNumber, "002");
    await shop.tendPickups(27 * 60 + 5);
    expect((await shop.org.get(`/pickups/${body.id}`)).body.status).toBe("dispatched");
    setClock(0);
    const second = (await shop.book({ pickupDate: "2026-03-04" })).body;
    const cancelled = await shop.org.delete(`/pickups/${second.id}`);
    expect(cancelled.body.status).toBe("cancelled");
    expect(shop.journal("pickup_cancel")).toMatchObject([{ prn: second.confirmationNumber }]);
  });

  test.each([...connectionFaults.refused, ...connectionFaults.lostBefore, ...connectionFaults.lostAfter])(
    "with the fault %s is booked once",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "pickup" });
      if (fault.startsWith("hang")) ups.timeouts = { schedulePickup: 500 };
      const { body } = await shop.book();
      expect(body.status).toBe("requested");
      for (const minutes of [2, 6, 14]) await shop.tendPickups(minutes);
      const pickup = (await shop.org.get(`/pickups/${body.id}`)).body;
      expect([pickup.status, shop.journal("pickup").length]).toEqual(["scheduled", 1]);
      expect(shop.journal("pickup")).toMatchObject([{ prn: pickup.confirmationNumber }]);
    },
  );

  test("without a phone number is refused with the reason", async () => {
    const shop = await open();
    const { phone: _phone, ...address } = dock;
    const { status, body } = await shop.book({ pickupAddress: address });
    expect(status).toBe(502);
    expect(body.detail).toBe("The phone number of the pickup's address is missing. UPS requires one.");
    expect(shop.journal("pickup")).toEqual([]);
  });
});
