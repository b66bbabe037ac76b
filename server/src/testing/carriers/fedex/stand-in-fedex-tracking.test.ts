import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { textOf } from "../ask-stand-in.ts";
import { fedexFixture, fedexErrorCode, fedexParty } from "./fedex-fixture.ts";
import type { FedexStandIn } from "./stand-in-fedex.ts";
import { startFedex } from "./stand-in-fedex.ts";

let fedex: FedexStandIn;
let fixture: ReturnType<typeof fedexFixture>;
let today = new Date("2026-03-16T15:00:00Z");
const now = (): Date => today;

beforeAll(async () => {
  fedex = await startFedex({ now });
  fixture = fedexFixture(fedex);
});
afterEach(() => fedex.calm());
afterAll(() => fedex.close());

describe("tracking", () => {
  const resultsOf = async (number: string) => [
    ...(await fixture.track(number)).body.output!.completeTrackResults![0]!.trackResults!,
  ];
  const scan = {
    at: "2026-03-17T06:38:00-04:00",
    eventType: "AR",
    description: "At local FedEx facility",
    city: "HOLBROOK",
    state: "NY",
  };
  const reference = (more: object = {}) =>
    fixture.send(
      "POST",
      "/track/v1/referencenumbers",
      {
        referencesInformation: {
          value: "by-reference",
          accountNumber: fedex.accountNumber,
          shipDateBegin: "2026-03-10",
          shipDateEndDate: "2026-03-20",
          ...more,
        },
      },
      "track",
    );

  test("events come newest first with their offset, and a status by codes", async () => {
    const number = await fixture.buyAs("track-1");
    expect((await resultsOf(number))[0]!.latestStatusDetail).toMatchObject({ code: "OC", derivedCode: "IN" });
    fedex.scan(number, scan);
    fedex.scan(number, {
      at: "2026-03-18T12:41:57-04:00",
      eventType: "DL",
      description: "Delivered",
      receivedBy: "A.NN",
    });
    const [result] = await resultsOf(number);
    expect(result).toMatchObject({
      trackingNumberInfo: { trackingNumber: number, carrierCode: "FDXG" },
      latestStatusDetail: { code: "DL", derivedCode: "DL", description: "Delivered" },
      deliveryDetails: { receivedByName: "A.NN" },
      packageDetails: { count: "1", weightAndDimensions: { weight: [{ value: "5.0", unit: "LB" }] } },
      additionalTrackingInfo: { packageIdentifiers: [{ type: "CUSTOMER_REFERENCE", values: ["track-1"] }] },
    });
    expect(
      [...result!.scanEvents!].map(({ date, eventType, derivedStatusCode }) =>
        [date, eventType, derivedStatusCode].map(textOf),
      ),
    ).toEqual([
      ["2026-03-18T12:41:57-04:00", "DL", "DL"],
      ["2026-03-17T06:38:00-04:00", "AR", "IT"],
      ["2026-03-16T09:00:00-06:00", "OC", "IN"],
    ]);
    expect(result!.dateAndTimes![0]).toEqual({ type: "ACTUAL_DELIVERY", dateTime: "2026-03-18T12:41:57-04:00" });
    expect(() => fedex.scan("1", scan)).toThrow("was not sold");
  });

  test("an unknown number is an error inside a 200, beside the results of others", async () => {
    const number = await fixture.buyAs("track-2");
    const { status, body } = await fixture.track("794900000000", number);
    expect(status).toBe(200);
    const [unknown, known] = [...body.output!.completeTrackResults!];
    expect(unknown!.trackResults![0]!.error!.code).toBe("TRACKING.TRACKINGNUMBER.NOTFOUND");
    expect(known!.trackResults![0]!.latestStatusDetail!.code).toBe("OC");
    fedex.inject("track_late");
    expect((await resultsOf(number))[0]!.error!.code).toBe("TRACKING.TRACKINGNUMBER.NOTFOUND");
  });

  test("refuses no number, an empty one, more than 30, and no word about scans", async () => {
    expect(fedexErrorCode(await fixture.track(""))).toBe("TRACKING.TRACKINGNUMBER.EMPTY");
    expect(fedexErrorCode(await fixture.track())).toBe("INVALID.INPUT.EXCEPTION");
    expect((await fixture.track(...Array.from({ length: 31 }, () => "794900000000"))).status).toBe(400);
    const noScans = { trackingInfo: [{ trackingNumberInfo: { trackingNumber: "1" } }] };
    expect((await fixture.send("POST", "/track/v1/trackingnumbers", noScans, "track")).status).toBe(400);
  });

  test("without detailed scans there is the latest one only; a range of days leaves out other shipments", async () => {
    const number = await fixture.buyAs("track-3");
    fedex.scan(number, scan);
    const ask = (more: object) =>
      fixture.send(
        "POST",
        "/track/v1/trackingnumbers",
        { includeDetailedScans: false, trackingInfo: [{ trackingNumberInfo: { trackingNumber: number }, ...more }] },
        "track",
      );
    expect((await ask({})).body.output!.completeTrackResults![0]!.trackResults![0]!.scanEvents).toHaveLength(1);
    const earlier = await ask({ shipDateBegin: "2026-01-01", shipDateEnd: "2026-01-31" });
    expect(earlier.body.output!.completeTrackResults![0]!.trackResults![0]!.error).toBeDefined();
  });

  test("faults: unknown status, no zone, a number that was used before, results twice", async () => {
    const number = await fixture.buyAs("track-4");
    fedex.scan(number, scan);
    fedex.inject("unknown_status");
    expect((await resultsOf(number))[0]!.latestStatusDetail!.code).toBe("QQ");
    fedex.inject("events_without_zone");
    expect((await resultsOf(number))[0]!.scanEvents![0]!.date).toBe("2026-03-17T06:38:00");
    fedex.inject("tracking_number_reused");
    const [old, own] = await resultsOf(number);
    expect([old!.latestStatusDetail!.code, own!.latestStatusDetail!.code]).toEqual(["DL", "AR"]);
    expect([...old!.dateAndTimes!].at(-1)).toEqual({ type: "SHIP", dateTime: "2025-03-16T00:00:00-06:00" });
    expect(old!.trackingNumberInfo!.trackingNumberUniqueId).not.toBe(own!.trackingNumberInfo!.trackingNumberUniqueId);
    fedex.inject("duplicate_answer");
    expect(await resultsOf(number)).toHaveLength(2);
  });

  test("a shipment is found by reference, account and day", async () => {
    const number = await fixture.buyAs("by-reference");
    expect((await reference()).body.output!.completeTrackResults![0]!.trackingNumber).toBe(number);
    for (const more of [{ shipDateEndDate: "2026-03-15" }, { accountNumber: "1" }, { value: "other" }]) {
      const missing = await reference(more);
      expect(missing.status).toBe(200);
      expect(missing.body.output!.completeTrackResults![0]!.trackResults![0]!.error!.code).toBe(
        "TRACKING.REFERENCENUMBER.NOTFOUND",
      );
    }
    fedex.inject("reference_late");
    expect((await reference()).body.output!.completeTrackResults![0]!.trackResults![0]!.error).toBeDefined();
    expect(fedexErrorCode(await reference({ accountNumber: undefined }))).toBe("TRACKING.ACCOUNTNUMBER.EMPTY");
    expect((await reference({ shipDateBegin: undefined })).status).toBe(400);
  });
});

describe("pickups", () => {
  const pickup = (origin: object = {}, more: object = {}) =>
    fixture.post("/pickup/v1/pickups", {
      associatedAccountNumber: { value: fedex.accountNumber },
      originDetail: {
        pickupLocation: fedexParty("07102"),
        readyDateTimestamp: "2026-03-17T11:00:00Z",
        customerCloseTime: "17:00:00",
        packageLocation: "FRONT",
        ...origin,
      },
      carrierCode: "FDXE",
      packageCount: 2,
      totalWeight: { units: "LB", value: 10 },
      ...more,
    });
  const cancel = (code: string, more: object = {}) =>
    fixture.put("/pickup/v1/pickups/cancel", {
      associatedAccountNumber: { value: fedex.accountNumber },
      pickupConfirmationCode: code,
      scheduledDate: "2026-03-17",
      carrierCode: "FDXE",
      location: "NJRA",
      ...more,
    });

  test("availability tells the cut-off by carrier and day", async () => {
    const asked = {
      pickupAddress: { postalCode: "07102", countryCode: "US" },
      pickupRequestType: ["SAME_DAY", "FUTURE_DAY"],
      carriers: ["FDXE", "FDXG"],
      countryRelationship: "DOMESTIC",
      dispatchDate: "2026-03-20",
    };
    const { body } = await fixture.post("/pickup/v1/pickups/availabilities", asked);
    const options = [...body.output!.options!];
    expect(options.map(({ carrier, pickupDate, cutOffTime }) => [carrier, pickupDate, cutOffTime].map(textOf))).toEqual(
      [
        ["FDXE", "2026-03-20", "16:00:00"],
        ["FDXE", "2026-03-23", "16:00:00"],
        ["FDXG", "2026-03-20", "14:00:00"],
        ["FDXG", "2026-03-23", "14:00:00"],
      ],
    );
    const noZip = { ...asked, pickupAddress: { countryCode: "US" } };
    expect(fedexErrorCode(await fixture.post("/pickup/v1/pickups/availabilities", noZip))).toBe(
      "PICKUP.POSTALCODE.MISSING",
    );
  });

  test("codes begin anew with each day and carrier; Express has a location, which a cancellation needs", async () => {
    const codeOf = async (origin: object = {}, more: object = {}) => (await pickup(origin, more)).body.output!;
    const first = await codeOf();
    expect(first).toMatchObject({ pickupConfirmationCode: "1", location: "NJRA" });
    expect((await codeOf()).pickupConfirmationCode).toBe("2");
    expect((await codeOf({ readyDateTimestamp: "2026-03-18T11:00:00Z" })).pickupConfirmationCode).toBe("1");
    const ground = await codeOf({}, { carrierCode: "FDXG" });
    expect([ground.pickupConfirmationCode, ground.location].map(textOf)).toEqual(["1", "undefined"]);
    const foreign = { associatedAccountNumber: { value: "1" } };
    expect(fedexErrorCode(await cancel("1", foreign))).toBe("ACCOUNTNUMBER.REGISTRATION.REQUIRED");
    expect(fedexErrorCode(await cancel("1", { location: undefined }))).toBe("PICKUP.LOCATION.REQUIRED");
    expect(fedexErrorCode(await cancel("1", { location: "NYRA" }))).toBe("PICKUP.NUMBER.NOTFOUND");
    expect((await cancel("1")).body.output!.pickupConfirmationCode).toBe("1");
    expect(fedexErrorCode(await cancel("1"))).toBe("PICKUP.ALREADY.CANCELLED");
    expect((await cancel("1", { carrierCode: "FDXG", location: undefined })).status).toBe(200);
    fedex.dispatchPickup({ code: "2", date: "2026-03-17", carrierCode: "FDXE" });
    expect(fedexErrorCode(await cancel("2"))).toBe("PICKUP.ALREADY.DISPATCHED");
    expect(fedexErrorCode(await cancel("2", { scheduledDate: "2026-03-15" }))).toBe("PICKUP.NUMBER.EXPIRED");
    expect(fedex.journal("pickup_cancel")).toHaveLength(2);
  });

  test.each<[string, object, object, string]>([
    ["a day in the past", { readyDateTimestamp: "2026-03-15T11:00:00Z" }, {}, "PICKUP.REQUESTED.PREVIOUS.DAY"],
    ["an offset in the time", { readyDateTimestamp: "2026-03-17T11:00:00-04:00" }, {}, "INVALID.INPUT.EXCEPTION"],
    ["ready after closing", { readyDateTimestamp: "2026-03-17T18:00:00Z" }, {}, "PICKUP.READYTIME.INVALID"],
    ["both carriers", {}, { carrierCode: "FDXC" }, "INVALID.INPUT.EXCEPTION"],
    ["another account", {}, { associatedAccountNumber: { value: "1" } }, "ACCOUNTNUMBER.REGISTRATION.REQUIRED"],
    [
      "no ZIP code",
      { pickupLocation: fedexParty("07102", { postalCode: undefined }) },
      {},
      "PICKUP.POSTALCODE.MISSING",
    ],
  ])("refuses %s", async (_what, origin, more, code) => {
    const reply = await pickup(origin, more);
    expect([reply.status, fedexErrorCode(reply)]).toEqual([400, code]);
  });
});

test("addresses are classified, or not found", async () => {
  const resolve = async (line: string, postalCode: string) => {
    const address = { streetLines: [line], city: "Newark", stateOrProvinceCode: "NJ", postalCode, countryCode: "US" };
    const { body } = await fixture.post("/address/v1/addresses/resolve", { addressesToValidate: [{ address }] });
    return body.output!.resolvedAddresses![0]!;
  };
  expect(await resolve("1 Port Street Apt 4", "07102")).toMatchObject({
    classification: "RESIDENTIAL",
    streetLinesToken: ["1 PORT STREET APT 4"],
    attributes: { Resolved: true, DPV: true },
  });
  expect(await resolve("1 Port Street", "00012")).toMatchObject({
    classification: "UNKNOWN",
    attributes: { Resolved: false },
  });
  fedex.inject("attributes_as_text");
  expect((await resolve("1 Port Street", "07102")).attributes!.Resolved).toBe("true");
  expect((await fixture.post("/address/v1/addresses/resolve", { addressesToValidate: [] })).status).toBe(400);
});

test("the end of the day closes Ground, once, and what is closed cannot be cancelled", async () => {
  const number = await fixture.buyAs("close-1");
  const close = (more: object = {}) =>
    fixture.put("/ship/v1/endofday/", {
      closeReqType: "GCDR",
      accountNumber: { value: fedex.accountNumber },
      groundServiceCategory: "GROUND",
      closeDate: "2026-03-16",
      closeDocumentSpecification: { closeDocumentTypes: ["MANIFEST"] },
      ...more,
    });
  expect(fedexErrorCode(await close({ closeDate: "2026-03-15" }))).toBe("AVAILABILITY.SHIP.DATE.INVALID");
  expect(fedexErrorCode(await close({ closeReqType: "RGCDR" }))).toBe("CLOSE.TYPE.INVALID");
  expect((await close({ accountNumber: { value: "1" } })).status).toBe(400);
  const closed = await close();
  const [document] = [...closed.body.output!.closeDocuments!];
  expect(Buffer.from(textOf(document!.parts![0]!.image), "base64").subarray(0, 5).toString()).toBe("%PDF-");
  expect(fedex.journal("manifest").at(-1)!.trackingNumbers).toContain(number);
  expect([...(await close()).body.output!.closeDocuments!]).toHaveLength(0);
  const voided = await fixture.put("/ship/v1/shipments/cancel", {
    accountNumber: { value: fedex.accountNumber },
    trackingNumber: number,
  });
  expect(voided.body.output!.cancelledShipment).toBe(false);
  const reprint = (more: object) =>
    fixture.post("/ship/v1/endofday/", {
      closeReqType: "RGCDR",
      accountNumber: { value: fedex.accountNumber },
      groundServiceCategory: "GROUND",
      ...more,
    });
  const byNumber = await reprint({ reprintOption: "BY_TRACKING_NUMBER", trackingNumber: number });
  expect(byNumber.body.output!.closeDocuments![0]!.shippingCycle).toBe(document!.shippingCycle);
  expect((await reprint({ reprintOption: "BY_SHIP_DATE", closeDate: "2026-03-17" })).status).toBe(404);
  expect((await reprint({})).status).toBe(400);
  expect((await reprint({ reprintOption: "BY_SHIP_DATE", accountNumber: { value: "1" } })).status).toBe(400);
});
