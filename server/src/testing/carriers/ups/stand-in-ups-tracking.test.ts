import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ask, textOf } from "../ask-stand-in.ts";
import { decimalText } from "../stand-in-prices.ts";
import { pickupCharges } from "./stand-in-ups-pickups.ts";
import type { UpsStandIn } from "./stand-in-ups.ts";
import { startUps } from "./stand-in-ups.ts";
import { upsFixture, upsErrorCode } from "./ups-fixture.ts";

let ups: UpsStandIn;
let fixture: ReturnType<typeof upsFixture>;
const now = (): Date => new Date("2026-03-16T15:00:00Z");

beforeAll(async () => {
  ups = await startUps({ now });
  fixture = upsFixture(ups);
});
afterEach(() => ups.calm());
afterAll(() => ups.close());

describe("tracking", () => {
  const scan = { type: "I", code: "OR", description: "Origin Scan", city: "Newark", state: "NJ" };
  const packageOf = async (number: string) =>
    (await fixture.get(`/api/track/v1/details/${number}`)).body.trackResponse!.shipment![0]!.package![0]!;

  test("activities come newest first, with local and GMT times", async () => {
    const number = await fixture.buyAs("track-1");
    expect((await packageOf(number)).currentStatus).toMatchObject({ type: "M", code: "MP" });
    ups.scan(number, { ...scan, at: "2026-03-16T20:15:19-04:00" });
    ups.scan(number, {
      type: "D",
      code: "FS",
      description: "DELIVERED ",
      at: "2026-03-18T09:50:04-07:00",
      receivedBy: "ANN",
    });
    const tracked = await packageOf(number);
    expect([...tracked.activity!].map((one) => one.status!.type)).toEqual(["D", "I", "M"]);
    expect(tracked.activity![1]).toMatchObject({
      date: "20260316",
      time: "201519",
      gmtDate: "20260317",
      gmtTime: "00:15:19",
      gmtOffset: "-04:00",
      location: { address: { city: "Newark", stateProvince: "NJ", countryCode: "US" } },
    });
    expect(tracked).toMatchObject({
      trackingNumber: number,
      deliveryDate: [{ type: "DEL", date: "20260318" }],
      deliveryInformation: { receivedBy: "ANN" },
      packageCount: 1,
      referenceNumber: [{ number: "track-1" }],
    });
    expect(() => ups.scan("1Z0000000000000000", { ...scan, at: "2026-03-16T20:15:19-04:00" })).toThrow("was not sold");
  });

  test("unknown numbers are a warning inside a 200, or a 404; malformed ones and missing headers are refused", async () => {
    const unknown = await fixture.get("/api/track/v1/details/1Z0000000000000000");
    expect([unknown.status, unknown.body.trackResponse!.shipment![0]!.warnings![0]!.code]).toEqual([200, "TW0001"]);
    ups.inject("not_found_404");
    expect((await fixture.get("/api/track/v1/details/1Z0000000000000000")).status).toBe(404);
    expect(upsErrorCode(await fixture.get("/api/track/v1/details/123"))).toBe("TV1002");
    const url = `${ups.url}/api/track/v1/details/1Z0000000000000000`;
    const { transId: _id, ...noId } = await fixture.headers();
    const { transactionSrc: _source, ...noSource } = await fixture.headers();
    expect(upsErrorCode(await ask(url, { headers: noId }))).toBe("VSS002");
    expect(upsErrorCode(await ask(url, { headers: noSource }))).toBe("VSS004");
    const byReference = `${ups.url}/api/track/v1/reference/details/track-1`;
    expect(upsErrorCode(await ask(byReference, { headers: noId }))).toBe("VSS002");
    const subscription = `${ups.url}/api/track/v2/subscription/standard/package`;
    expect(upsErrorCode(await ask(subscription, { headers: noId, json: {} }))).toBe("VSS002");
  });

  test("faults: unknown status, no zone, GMT without colons, a number that was used before", async () => {
    const number = await fixture.buyAs("track-2");
    ups.scan(number, { ...scan, at: "2026-03-17T03:47:00-04:00" });
    ups.inject("unknown_status");
    expect((await packageOf(number)).currentStatus!.type).toBe("ZZ");
    ups.inject("events_without_zone");
    const local = (await packageOf(number)).activity![0]!;
    expect([local.date, local.time, local.gmtDate, local.gmtOffset]).toEqual([
      "20260317",
      "034700",
      undefined,
      undefined,
    ]);
    ups.inject("gmt_time_without_colons");
    expect((await packageOf(number)).activity![0]!.gmtTime).toBe("74700");
    ups.inject("tracking_number_reused");
    const packages = (await fixture.get(`/api/track/v1/details/${number}`)).body.trackResponse!.shipment![0]!.package!;
    expect([...packages].map((one) => one.currentStatus!.type)).toEqual(["D", "I"]);
    expect(packages[0]!.activity![0]!.date).toBe("20251017");
  });

  test("a reference is found once the package was scanned", async () => {
    const number = await fixture.buyAs("by-reference");
    const find = () => fixture.get(`/api/track/v1/reference/details/by-reference?shipperNum=${ups.accountNumber}`);
    expect((await find()).body.trackResponse!.shipment![0]!.warnings![0]!.code).toBe("TW0001");
    ups.scan(number, { ...scan, at: "2026-03-16T20:15:19-04:00" });
    expect((await find()).body.trackResponse!.shipment![0]!.package![0]!.trackingNumber).toBe(number);
    const day = (query: string) => fixture.get(`/api/track/v1/reference/details/by-reference?${query}`);
    expect(upsErrorCode(await day("fromPickUpDate=2026-03-01"))).toBe("TV1019");
    expect((await day("toPickUpDate=20260315")).body.trackResponse!.shipment![0]!.warnings).toBeDefined();
  });

  test("Track Alert pushes what was subscribed to, with the credential", async () => {
    const received: { headers: Record<string, unknown>; body: string }[] = [];
    const receiver = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const number = await fixture.buyAs("alert-1");
    ups.scan(number, { ...scan, at: "2026-03-16T20:15:19-04:00" });
    expect(await ups.pushTo(url, number, "secret")).toBeUndefined();
    const subscribe = (json: object) => fixture.post("/api/track/v2/subscription/standard/package", json);
    const asked = { locale: "en_US", countryCode: "US", trackingNumberList: [number, "1Z$8"] };
    expect((await subscribe(asked)).body).toEqual({ validTrackingNumbers: [number], invalidTrackingNumbers: ["1Z$8"] });
    expect((await ups.pushTo(url, number, "secret"))?.status).toBe(200);
    receiver.close();
    expect(received[0]!.headers).toMatchObject({
      credential: "secret",
      "user-agent": "UPSPubSubTrackingService",
      "x-api-key": "ups-client",
    });
    expect(JSON.parse(received[0]!.body)).toMatchObject({
      trackingNumber: number,
      localActivityDate: "20260316",
      localActivityTime: "201519",
      gmtActivityDate: "20260317",
      gmtActivityTime: "001519",
      gmtOffset: "-04.00",
      activityStatus: { type: "I", code: "OR", description: "Origin Scan" },
    });
    expect(upsErrorCode(await subscribe({ trackingNumberList: [number] }))).toBe("VSS300");
    expect(upsErrorCode(await subscribe({ locale: "english", trackingNumberList: [number] }))).toBe("VSS310");
    expect(upsErrorCode(await subscribe({ locale: "en_US", trackingNumberList: ["x"] }))).toBe("VSS210");
    expect(upsErrorCode(await subscribe({ locale: "en_US" }))).toBe("VSS200");
    expect(upsErrorCode(await fixture.post("/api/track/v2/subscription/gold/package", asked))).toBe("VSS930");
    const headers = await fixture.headers();
    const empty = await ask(`${ups.url}/api/track/v2/subscription/standard/package`, { method: "POST", headers });
    expect(upsErrorCode(empty)).toBe("VSS110");
    expect(
      upsErrorCode(await subscribe({ locale: "en_US", trackingNumberList: Array.from({ length: 101 }, () => number) })),
    ).toBe("VSS220");
  });
});

describe("pickups", () => {
  const pickupAddress = {
    CompanyName: "Hub",
    ContactName: "Ann",
    AddressLine: "1 Port Street",
    City: "Newark",
    StateProvince: "NJ",
    PostalCode: "07102",
    CountryCode: "US",
    ResidentialIndicator: "N",
    Phone: { Number: "5551234567" },
  };
  const pickupBody = (more: object = {}, info: object = {}) => ({
    PickupCreationRequest: {
      RatePickupIndicator: "Y",
      Shipper: { Account: { AccountNumber: ups.accountNumber, AccountCountryCode: "US" } },
      PickupDateInfo: { CloseTime: "1700", ReadyTime: "0900", PickupDate: "20260317", ...info },
      PickupAddress: pickupAddress,
      AlternateAddressIndicator: "Y",
      PickupPiece: [{ ServiceCode: "003", Quantity: "2", DestinationCountryCode: "US", ContainerCode: "01" }],
      OverweightIndicator: "N",
      PaymentMethod: "01",
      ...more,
    },
  });
  const book = (json: unknown) => fixture.post("/api/pickupcreation/v2409/pickup", json);
  const cancel = (prn: string) => fixture.erase("/api/shipments/v2409/pickup/02", { Prn: prn });

  test("a pickup has a number and a price, is pending, and can be cancelled once", async () => {
    const { body } = await book(pickupBody());
    const { PRN, RateResult } = body.PickupCreationResponse!;
    expect(textOf(PRN)).toHaveLength(11);
    expect(RateResult!.GrandTotalOfAllCharge).toBe(decimalText(pickupCharges.baseCents));
    const pending = async () => {
      const reply = await ask(`${ups.url}/api/shipments/v2409/pickup/oncall`, {
        headers: { ...(await fixture.headers()), AccountNumber: ups.accountNumber },
      });
      const list = [...reply.body.PickupPendingStatusResponse!.PendingStatus!];
      return list.find((one) => textOf(one.PRN) === textOf(PRN))!.OnCallStatusCode;
    };
    expect(await pending()).toBe("012");
    expect((await cancel(textOf(PRN))).body.PickupCancelResponse!.PickupType).toBe("01");
    expect(await pending()).toBe("007");
    expect((await cancel(textOf(PRN))).status).toBe(400);
  });

  test("a pickup that the driver has cannot be cancelled, and asking twice books twice", async () => {
    const booked = ups.journal("pickup").length;
    const [one, other] = [await book(pickupBody()), await book(pickupBody())];
    const prn = textOf(one.body.PickupCreationResponse!.PRN);
    expect(textOf(other.body.PickupCreationResponse!.PRN)).not.toBe(prn);
    expect(ups.journal("pickup")).toHaveLength(booked + 2);
    ups.setPickupStatus(prn, "002");
    expect((await cancel(prn)).status).toBe(400);
    expect((await cancel("2900000ABCDE")).status).toBe(400);
  });

  test.each<[string, object, object, string]>([
    ["a day in the past", {}, { PickupDate: "20260315" }, "9560131"],
    ["ready after closing", {}, { ReadyTime: "1800" }, "9510117"],
    ["a day that does not exist", {}, { PickupDate: "20260231" }, "9560131"],
    ["a time of three digits", {}, { ReadyTime: "900" }, "20008"],
    ["no pieces", { PickupPiece: [] }, {}, "20008"],
    ["another account", { Shipper: { Account: { AccountNumber: "ZZZZZZ", AccountCountryCode: "US" } } }, {}, "9500518"],
    ["no state", { PickupAddress: { ...pickupAddress, StateProvince: undefined } }, {}, "20007"],
    ["no payment method", { PaymentMethod: undefined }, {}, "20007"],
  ])("refuses %s", async (_what, more, info, code) => {
    const reply = await book(pickupBody(more, info));
    expect([reply.status, upsErrorCode(reply)]).toEqual([400, code]);
  });
});

test("pickups: an unknown way to cancel, no number, no account", async () => {
  const cancel = (by: string, more: Record<string, string>) => fixture.erase(`/api/shipments/v2409/pickup/${by}`, more);
  expect(upsErrorCode(await cancel("03", { Prn: "290001ABCDE" }))).toBe("20008");
  expect(upsErrorCode(await cancel("02", {}))).toBe("20007");
  const pending = async (more: Record<string, string>) =>
    ask(`${ups.url}/api/shipments/v2409/pickup/oncall`, { headers: { ...(await fixture.headers()), ...more } });
  expect(upsErrorCode(await pending({}))).toBe("20007");
  expect(upsErrorCode(await pending({ AccountNumber: "ZZZZZZ" }))).toBe("9500518");
});

test("addresses are valid, ambiguous or without candidates, and classified", async () => {
  const checkAddress = async (line: string, zip: string, option = 3) => {
    const format = {
      AddressLine: [line],
      PoliticalDivision2: "Newark",
      PoliticalDivision1: "NJ",
      PostcodePrimaryLow: zip,
      CountryCode: "US",
    };
    return (await fixture.post(`/api/addressvalidation/v2/${option}`, { XAVRequest: { AddressKeyFormat: format } }))
      .body.XAVResponse!;
  };
  const home = await checkAddress("1 Port Street Apt 4", "07102");
  expect(home).toMatchObject({
    ValidAddressIndicator: "",
    AddressClassification: { Code: "2", Description: "Residential" },
  });
  expect(home.Candidate![0]!.AddressKeyFormat).toMatchObject({
    AddressLine: ["1 PORT STREET APT 4"],
    PostcodeExtendedLow: "0001",
  });
  expect(await checkAddress("1 Ambiguous Street", "07102")).toMatchObject({ AmbiguousAddressIndicator: "" });
  expect(await checkAddress("1 Port Street", "00012")).toMatchObject({ NoCandidatesIndicator: "" });
  expect((await checkAddress("1 Port Street", "07102", 1)).AddressClassification).toBeUndefined();
  ups.inject("single_object");
  expect((await checkAddress("1 Port Street", "07102")).Candidate!.AddressKeyFormat!.PostcodePrimaryLow).toBe("07102");
  expect(upsErrorCode(await fixture.post("/api/addressvalidation/v2/4", {}))).toBe("264001");
  const abroad = { XAVRequest: { AddressKeyFormat: { CountryCode: "DE" } } };
  expect((await fixture.post("/api/addressvalidation/v2/3", abroad)).status).toBe(400);
});
