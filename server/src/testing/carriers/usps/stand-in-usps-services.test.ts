import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { textOf } from "../ask-stand-in.ts";
import { postageCents, uspsClasses, uspsFees } from "./stand-in-usps-prices.ts";
import type { UspsStandIn } from "./stand-in-usps.ts";
import { startUsps } from "./stand-in-usps.ts";
import { partsOf, uspsAddress, uspsFixture, uspsProblem } from "./usps-fixture.ts";

let usps: UspsStandIn;
let fixture: ReturnType<typeof uspsFixture>;
const start = new Date("2026-03-16T15:00:00Z");
let today = start;
const now = (): Date => today;

beforeAll(async () => {
  usps = await startUsps({ now, callsPerHour: Infinity });
  fixture = uspsFixture(usps);
});
afterEach(() => {
  usps.calm();
  today = start;
});
afterAll(() => usps.close());

describe("prices", () => {
  const parcel = { weight: 2.5, length: 10, width: 8, height: 4 };
  const zips = { originZIPCode: "07102", destinationZIPCode: "90001" };
  const total = (more: object = {}) =>
    fixture.send("POST", "/prices/v3/total-rates/search", { ...zips, ...parcel, ...more });
  const optionsOf = async (more: object = {}) => [...(await total(more)).body.rateOptions!];
  const ground = uspsClasses[0]!;

  test("retail, commercial and contract prices are floats", async () => {
    for (const priceType of ["RETAIL", "COMMERCIAL", "CONTRACT"]) {
      const account = { accountType: "EPS", accountNumber: usps.accountNumber };
      const [option] = await optionsOf({ mailClass: "USPS_GROUND_ADVANTAGE", priceType, ...account });
      const price = postageCents(ground, parcel, 8, priceType) / 100;
      expect(option).toMatchObject({
        totalBasePrice: price,
        totalPrice: price,
        rates: [{ price, priceType, zone: "08", rateIndicator: "SP", processingCategory: "MACHINABLE", fees: [] }],
        extraServices: [{ extraService: "920", price: 0 }],
      });
    }
    expect(postageCents(ground, parcel, 8, "CONTRACT")).toBeLessThan(postageCents(ground, parcel, 8, "COMMERCIAL"));
  });

  test("without a contract the published price comes with a warning", async () => {
    const account = { accountType: "EPS", accountNumber: usps.accountNumber };
    const foreign = await optionsOf({
      mailClass: "USPS_GROUND_ADVANTAGE",
      priceType: "CONTRACT",
      accountType: "EPS",
      accountNumber: "1",
    });
    usps.inject("negotiated_missing");
    const own = await optionsOf({ mailClass: "USPS_GROUND_ADVANTAGE", priceType: "CONTRACT", ...account });
    for (const options of [foreign, own]) {
      expect(options[0]!.rates![0]).toMatchObject({ priceType: "COMMERCIAL", warnings: [{ warningCode: "001" }] });
    }
  });

  test("all classes, with many rows a class", async () => {
    const options = await optionsOf();
    const rows = options.map(({ rates }) => `${textOf(rates![0]!.mailClass)} ${textOf(rates![0]!.rateIndicator)}`);
    expect(rows).toEqual([
      "USPS_GROUND_ADVANTAGE SP",
      "PRIORITY_MAIL SP",
      "PRIORITY_MAIL FE",
      "PRIORITY_MAIL FB",
      "PRIORITY_MAIL_EXPRESS SP",
      "MEDIA_MAIL SP",
    ]);
    usps.inject("partial_rates");
    expect(await optionsOf()).toHaveLength(1);
    expect(await optionsOf({ mailClasses: ["MEDIA_MAIL", "PRIORITY_MAIL_EXPRESS"] })).toHaveLength(2);
    expect((await total({ mailClass: "LIBRARY_MAIL" })).status).toBe(404);
  });

  test("size costs: dimensional weight and fees are in the total", async () => {
    const large = { weight: 2.5, length: 24, width: 14, height: 12 };
    const [option] = await optionsOf({ ...large, mailClass: "USPS_GROUND_ADVANTAGE" });
    const fees = uspsFees(large).reduce((sum, { price }) => sum + price, 0);
    expect(option!.rates![0]).toMatchObject({ rateIndicator: "DR", dimWeight: 25, processingCategory: "NONSTANDARD" });
    expect(Number(option!.totalBasePrice)).toBeCloseTo(Number(option!.rates![0]!.price) + fees, 2);
    const [signed] = await optionsOf({ mailClass: "USPS_GROUND_ADVANTAGE", extraServices: [921] });
    expect(Number(signed!.totalPrice)).toBeCloseTo(Number(signed!.totalBasePrice) + 3.45, 2);
  });

  test("base rates answer one row, shipping options the days too", async () => {
    const wanted = {
      mailClass: "PRIORITY_MAIL",
      processingCategory: "FLATS",
      destinationEntryFacilityType: "NONE",
      priceType: "RETAIL",
    };
    const base = (rateIndicator: string, more: object = {}) =>
      fixture.send("POST", "/prices/v3/base-rates/search", { ...zips, ...parcel, ...wanted, ...more, rateIndicator });
    expect((await base("FE")).body).toMatchObject({ totalBasePrice: 10.1, rates: [{ rateIndicator: "FE" }] });
    expect((await base("CP")).status).toBe(404);
    expect((await base("FE", { weight: 71 })).status).toBe(400);
    const heavy = { ...zips, packageDescription: { ...parcel, weight: 71 }, pricingOptions: [{ priceType: "RETAIL" }] };
    expect((await fixture.send("POST", "/shipments/v3/options/search", heavy)).status).toBe(400);
    const { body } = await fixture.send("POST", "/shipments/v3/options/search", {
      ...zips,
      packageDescription: { ...parcel, mailClass: "PRIORITY_MAIL_EXPRESS", mailingDate: "2026-03-20" },
      pricingOptions: [{ priceType: "RETAIL" }],
    });
    const [option] = [...body.pricingOptions![0]!.shippingOptions![0]!.rateOptions!];
    expect(option!.commitment).toEqual({
      name: "1 Days",
      scheduleDeliveryDate: "2026-03-23",
      guaranteedDelivery: true,
    });
    usps.inject("partial_rates");
    const part = await fixture.send("POST", "/shipments/v3/options/search", {
      ...zips,
      packageDescription: parcel,
      pricingOptions: [{ priceType: "RETAIL" }],
    });
    expect([...part.body.pricingOptions![0]!.shippingOptions!]).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    ["a weight as text", { weight: "2.5" }, "weight"],
    ["no height", { height: undefined }, "height"],
    ["an unknown class", { mailClass: "PIGEON_MAIL" }, "mailClass"],
    ["a field of labels", { mailingDay: "2026-03-16" }, "mailingDay"],
    ["too much weight", { weight: 70.5 }, "weight"],
    ["no weight", { weight: 0 }, "weight"],
    ["too much girth", { length: 100, width: 10, height: 10 }, "length"],
  ])("refuses %s", async (_what, more, parameter) => {
    const reply = await total(more);
    expect([reply.status, uspsProblem(reply).split(":")[0]]).toEqual([400, parameter]);
  });
});

describe("tracking", () => {
  const detail = (number: string) => fixture.send("GET", `/tracking/v3/tracking/${number}?expand=DETAIL`);

  test("events come newest first with local and GMT time; flags are text", async () => {
    const number = await fixture.buy();
    expect((await detail(number)).body).toMatchObject({
      statusCategory: "Pre-Shipment",
      trackingEvents: [{ eventCode: "GX" }],
    });
    usps.scan(number, {
      at: "2026-03-17T18:02:52-04:00",
      eventCode: "10",
      eventType: "Arrived at USPS Regional Origin Facility",
      city: "QUEENS NY DISTRIBUTION CENTER",
    });
    usps.scan(number, {
      at: "2026-03-19T13:58:40-07:00",
      eventCode: "01",
      eventType: "Delivered, In/At Mailbox",
      city: "LOS ANGELES",
      state: "CA",
      zip: "90001",
    });
    const { body } = await detail(number);
    expect(body).toMatchObject({
      statusCategory: "Delivered",
      emailEnabled: "true",
      mailClass: "USPS Ground Advantage<SUP>&#153;</SUP>",
    });
    expect([...body.trackingEvents!].map(({ eventCode }) => textOf(eventCode))).toEqual(["01", "10", "GX"]);
    expect(body.trackingEvents![0]).toMatchObject({
      eventTimestamp: "2026-03-19T13:58:00",
      GMTTimestamp: "2026-03-19T20:58:40Z",
      GMTOffset: "-07:00",
      eventCity: "LOS ANGELES",
      eventCountry: null,
    });
    const summary = await fixture.send("GET", `/tracking/v3/tracking/${number}`);
    expect(summary.body.eventSummaries![0]).toBe("Delivered, In/At Mailbox, 2026-03-19T13:58:00, LOS ANGELES CA 90001");
    expect(() => usps.scan("1", { at: "2026-03-19T13:58:40-07:00", eventCode: "01", eventType: "x" })).toThrow(
      "was not sold",
    );
  });

  test("unknown numbers, odd ones and other options are refused", async () => {
    expect((await detail("9234690312345600009999")).status).toBe(404);
    expect((await detail("123")).status).toBe(400);
    expect((await fixture.send("GET", "/tracking/v3/tracking/9234690312345600009999?expand=ALL")).status).toBe(400);
  });

  test("faults: late, unknown status, no zone, a number that was used before", async () => {
    const number = await fixture.buy();
    usps.inject("track_late");
    expect((await detail(number)).status).toBe(404);
    usps.inject("unknown_status");
    expect((await detail(number)).body.statusCategory).toBe("Levitating");
    usps.inject("events_without_zone");
    expect(Object.keys((await detail(number)).body.trackingEvents![0]!)).not.toContain("GMTTimestamp");
    usps.inject("tracking_number_reused");
    const events = [...(await detail(number)).body.trackingEvents!];
    expect(events.at(-1)).toMatchObject({ eventCode: "01", eventTimestamp: "2025-03-16T13:58:00" });
  });
});

describe("carrier pickup", () => {
  const wanted = (pickupDate: string, address: object = {}, more: object = {}) => ({
    pickupDate,
    pickupAddress: {
      firstName: "Ann",
      lastName: "Lee",
      address: { streetAddress: "1 Port Street", city: "Newark", state: "NJ", ZIPCode: "07102", ...address },
      contact: [{ email: "ann@example.com" }],
    },
    packages: [{ packageType: "PRIORITY_MAIL", packageCount: 2 }],
    estimatedWeight: 5,
    pickupLocation: { packageLocation: "FRONT_DOOR" },
    ...more,
  });
  const url = "/pickup/v3/carrier-pickup";
  const book = (json: object) => fixture.send("POST", url, json);

  test("a booking is read, changed and cancelled with its ETag", async () => {
    const booked = await book(wanted("2026-03-17"));
    const number = textOf(booked.body.confirmationNumber);
    const etag = booked.headers.get("etag")!;
    const read = await fixture.send("GET", `${url}/${number}`);
    expect([read.headers.get("etag"), read.body[0]!.confirmationNumber]).toEqual([etag, number]);
    const change = { pickupDate: "2026-03-18", carrierPickupRequest: wanted("2026-03-18") };
    expect((await fixture.send("PUT", `${url}/${number}`, change)).status).toBe(400);
    const sunday = { pickupDate: "2026-03-22", carrierPickupRequest: wanted("2026-03-22") };
    expect((await fixture.send("PUT", `${url}/${number}`, sunday, { "if-match": etag })).status).toBe(400);
    const changed = await fixture.send("PUT", `${url}/${number}`, change, { "if-match": etag });
    expect(changed.body.pickupDate).toBe("2026-03-18");
    expect((await fixture.send("DELETE", `${url}/${number}`, undefined, { "if-match": etag })).status).toBe(412);
    const cancelled = await fixture.send("DELETE", `${url}/${number}`, undefined, {
      "if-match": changed.headers.get("etag")!,
    });
    expect([cancelled.status, cancelled.text]).toEqual([200, ""]);
    expect((await fixture.send("GET", `${url}/${number}`)).status).toBe(400);
    expect(uspsProblem(await fixture.send("DELETE", `${url}/${number}`, undefined, { "if-match": etag }))).toContain(
      "not found",
    );
    expect(usps.journal("pickup")).toHaveLength(1);
  });

  test("one pickup for an address and day; other days and addresses are free", async () => {
    expect((await book(wanted("2026-03-19"))).status).toBe(200);
    expect(uspsProblem(await book(wanted("2026-03-19")))).toBe(
      "pickupDate: A pickup is already scheduled for this address and date.",
    );
    expect((await book(wanted("2026-03-20"))).status).toBe(200);
    expect((await book(wanted("2026-03-19", { streetAddress: "2 Port Street" }))).status).toBe(200);
  });

  test.each<[string, object, string]>([
    ["today after 2 o'clock Central time", wanted("2026-03-16"), "pickupDate"],
    ["a Sunday", wanted("2026-03-22"), "pickupDate"],
    ["a time", wanted("2026-03-17T09:00:00Z"), "pickupDate"],
    ["no ZIP code", wanted("2026-03-24", { ZIPCode: undefined }), "pickupAddress.address.ZIPCode"],
    [
      "no contact",
      { ...wanted("2026-03-24"), pickupAddress: { ...wanted("2026-03-24").pickupAddress, contact: [] } },
      "pickupAddress.contact",
    ],
    ["no place for the packages", wanted("2026-03-24", {}, { pickupLocation: {} }), "pickupLocation.packageLocation"],
    [
      "an unknown kind of package",
      wanted("2026-03-24", {}, { packages: [{ packageType: "PARCEL", packageCount: 1 }] }),
      "packages.0.packageType",
    ],
  ])("refuses %s", async (_what, json, parameter) => {
    const reply = await book(json);
    expect([reply.status, uspsProblem(reply).split(":")[0]]).toEqual([400, parameter]);
  });

  test("eligibility is by address", async () => {
    const check = (query: string) => fixture.send("GET", `${url}/eligibility?${query}`);
    expect((await check("streetAddress=1+Port+Street&ZIPCode=07102")).body.address!.streetAddress).toBe(
      "1 PORT STREET",
    );
    expect((await check("ZIPCode=07102")).status).toBe(400);
    expect((await check("streetAddress=1+Port+Street&ZIPCode=00012")).status).toBe(400);
  });
});

test("a SCAN form lists labels of one origin and day, each once", async () => {
  const [one, other] = [await fixture.buy(), await fixture.buy()];
  const form = (trackingNumbers: string[], more: object = {}) =>
    fixture.send("POST", "/scan-forms/v3/scan-form", {
      form: "5630",
      imageType: "PDF",
      labelType: "8.5x11LABEL",
      mailingDate: "2026-03-16",
      entryFacilityZIPCode: "07102",
      destinationEntryFacilityType: "NONE",
      shipment: { trackingNumbers },
      fromAddress: uspsAddress("07102"),
      ...more,
    });
  expect(uspsProblem(await form([one], { mailingDate: "2026-03-17" }))).toContain("has another mailing date");
  expect(uspsProblem(await form([one], { fromAddress: uspsAddress("10001") }))).toContain("has another origin");
  expect(uspsProblem(await form(["9234690312345600009999"]))).toContain("was not found");
  expect((await form([])).status).toBe(400);
  const parts = partsOf(await form([one]));
  const metadata = JSON.parse(parts.get("SCANFormMetaData")!.content) as Record<string, unknown>;
  expect(metadata).toMatchObject({ trackingNumbers: [one], form: "5630" });
  expect(Buffer.from(parts.get("SCANFormImage")!.content, "base64").toString("latin1")).toContain(
    textOf(metadata.manifestNumber),
  );
  expect(uspsProblem(await form([one, other]))).toContain("is on another SCAN form");
  usps.inject("old_part_names");
  expect([...partsOf(await form([other])).keys()]).toEqual(["Scan Form Response", "label"]);
  const canceled = await fixture.buy();
  await fixture.paid("DELETE", `/labels/v3/label/${canceled}`);
  expect(uspsProblem(await form([canceled]))).toContain("was canceled");
  // Listed labels are charged after 15 minutes.
  today = new Date(start.getTime() + 15 * 60_000);
  expect((await fixture.paid("DELETE", `/labels/v3/label/${one}`)).body.status).toBe("DISPUTED");
});

test("addresses are completed, ambiguous or unknown", async () => {
  const check = (query: string) => fixture.send("GET", `/addresses/v3/address?${query}`);
  const home = await check("streetAddress=1+Port+Street&secondaryAddress=Apt+4&city=Newark&state=NJ&ZIPCode=07102");
  expect(home.body).toMatchObject({
    address: { ZIPPlus4: "0001", city: "NEWARK" },
    additionalInfo: { business: "N", DPVConfirmation: "Y" },
  });
  expect((await check("streetAddress=1+Ambiguous+Street&state=NJ&ZIPCode=07102")).status).toBe(404);
  expect((await check("streetAddress=1+Port+Street&state=NJ&ZIPCode=00012")).status).toBe(404);
  for (const query of [
    "state=NJ&ZIPCode=07102",
    "streetAddress=1&ZIPCode=07102",
    "streetAddress=1&state=NJ",
    "streetAddress=1&state=NJ&ZIPCode=7",
  ]) {
    expect((await check(query)).status).toBe(400);
  }
});
