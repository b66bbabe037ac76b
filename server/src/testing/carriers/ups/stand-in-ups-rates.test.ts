import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { decimalText } from "../stand-in-prices.ts";
import { upsPrice, upsServices, upsSurcharges } from "./stand-in-ups-rates.ts";
import type { UpsStandIn } from "./stand-in-ups.ts";
import { startUps } from "./stand-in-ups.ts";
import { rateBody, upsAddress, upsFixture, upsErrorCode, upsUnit } from "./ups-fixture.ts";

let ups: UpsStandIn;
let fixture: ReturnType<typeof upsFixture>;
const now = (): Date => new Date("2026-03-16T15:00:00Z");

beforeAll(async () => {
  ups = await startUps({ now });
  fixture = upsFixture(ups);
});
afterEach(() => ups.calm());
afterAll(() => ups.close());

describe("rating", () => {
  test("Rate prices one service by weight, zone and contract", async () => {
    const { status, body } = await fixture.post("/api/rating/v2409/Rate", rateBody(ups));
    expect(status).toBe(200);
    const rated = body.RateResponse!.RatedShipment!;
    expect(rated).toHaveLength(1);
    const ground = upsServices.find(({ code }) => code === "03")!;
    const base = ground.baseCents + 5 * ground.perPoundCents + 6 * ground.perZoneCents;
    const total = base + Math.round((base * upsSurcharges.fuelPercent) / 100);
    expect(rated[0]).toMatchObject({
      Service: { Code: "03", Description: "" },
      Zone: "8",
      BillingWeight: { UnitOfMeasurement: { Code: "LBS", Description: "Pounds" }, Weight: "5.0" },
      BaseServiceCharge: { CurrencyCode: "USD", MonetaryValue: decimalText(base) },
      TotalCharges: { CurrencyCode: "USD", MonetaryValue: decimalText(total) },
      ItemizedCharges: [{ Code: "375", CurrencyCode: "USD", MonetaryValue: decimalText(total - base) }],
      RatedPackage: [
        { Weight: "5.0", NegotiatedCharges: { TotalCharge: { CurrencyCode: "USD", MonetaryValue: "0.00" } } },
      ],
    });
    const { negotiated } = upsPrice(rateBody(ups).RateRequest.Shipment as Parameters<typeof upsPrice>[0], ground);
    expect(rated[0]!.NegotiatedRateCharges!.TotalCharge!.MonetaryValue).toBe(decimalText(negotiated.totalCents));
    expect(negotiated.totalCents).toBeLessThan(total);
    expect(rated[0]!.GuaranteedDelivery).toBeUndefined();
    expect(body.RateResponse!.Response!.Alert![0]!.Code).toBe("110971");
  });

  test("Shop lists all services, dimensional weight and residential addresses cost more", async () => {
    const { body } = await fixture.post("/api/rating/v2409/Shop", rateBody(ups, { Service: undefined }));
    const codes = [...body.RateResponse!.RatedShipment!].map((one) => one.Service!.Code);
    expect(codes).toEqual(["03", "12", "02", "59", "13", "01", "14"]);
    const large = rateBody(ups);
    large.RateRequest.Shipment.Package[0]!.Dimensions = {
      UnitOfMeasurement: upsUnit("IN"),
      Length: "20",
      Width: "20",
      Height: "20",
    };
    const bulky = (await fixture.post("/api/rating/v2409/Rate", large)).body.RateResponse!.RatedShipment![0]!;
    expect(bulky.BillingWeight!.Weight).toBe("58.0");
    const home = rateBody(ups, { ShipTo: { Address: upsAddress("90001", { ResidentialAddressIndicator: "" }) } });
    const residential = (await fixture.post("/api/rating/v2409/Rate", home)).body.RateResponse!.RatedShipment![0]!;
    expect(residential.ItemizedCharges![1]).toEqual({ Code: "270", CurrencyCode: "USD", MonetaryValue: "5.95" });
  });

  test("Saturday delivery is a call of its own with fewer services", async () => {
    const options = { Service: undefined, ShipmentServiceOptions: { SaturdayDeliveryIndicator: "" } };
    const { body } = await fixture.post("/api/rating/v2409/Shop", rateBody(ups, options));
    const rated = [...body.RateResponse!.RatedShipment!];
    expect(rated.map((one) => one.Service!.Code)).toEqual(["02", "01"]);
    expect(rated[0]!.ServiceOptionsCharges!.MonetaryValue).toBe("16.00");
  });

  test("time in transit needs the pickup and answers local days", async () => {
    expect(upsErrorCode(await fixture.post("/api/rating/v2409/Shoptimeintransit", rateBody(ups)))).toBe("111549");
    const asked = rateBody(ups, { DeliveryTimeInformation: { PackageBillType: "03", Pickup: { Date: "20260320" } } });
    const { body } = await fixture.post("/api/rating/v2409/Ratetimeintransit", asked);
    const { EstimatedArrival } = body.RateResponse!.RatedShipment![0]!.TimeInTransit!.ServiceSummary!;
    // Four business days after a Friday.
    expect(EstimatedArrival).toMatchObject({
      BusinessDaysInTransit: "4",
      Arrival: { Date: "20260326" },
      DayOfWeek: "THU",
    });
  });

  test("published prices only, without the indicator or with another account", async () => {
    const plain = await fixture.post("/api/rating/v2409/Rate", rateBody(ups, { ShipmentRatingOptions: undefined }));
    expect(plain.body.RateResponse!.RatedShipment![0]!.NegotiatedRateCharges).toBeUndefined();
    const foreign = rateBody(ups, { Shipper: { ShipperNumber: "ZZZZZZ", Address: upsAddress("07102") } });
    const other = await fixture.post("/api/rating/v2409/Rate", foreign);
    expect(other.body.RateResponse!.RatedShipment![0]!.NegotiatedRateCharges).toBeUndefined();
    const early = await fixture.post("/api/rating/v2409/Rate", rateBody(ups, {}, { SubVersion: "1507" }));
    expect(early.body.RateResponse!.RatedShipment![0]!.ItemizedCharges).toBeUndefined();
  });

  test("older versions answer one object instead of a list of one", async () => {
    const { body } = await fixture.post("/api/rating/v1801/Rate", rateBody(ups));
    expect(body.RateResponse!.RatedShipment).toMatchObject({
      Service: { Code: "03" },
      RatedPackage: { Weight: "5.0" },
    });
  });

  test.each<[string, object, string]>([
    ["numbers instead of text", { Package: packageRated({ Weight: 5 }) }, "9110003"],
    ["a field that does not exist", { Packages: [] }, "9110003"],
    ["no country", { ShipTo: { Address: upsAddress("90001", { CountryCode: undefined }) } }, "20007"],
    ["a ZIP code of four digits", { ShipTo: { Address: upsAddress("9000") } }, "111286"],
    ["no weight", { Package: [{ PackagingType: { Code: "02" } }] }, "111036"],
    ["a weight of zero", { Package: packageRated({ Weight: "0" }) }, "111036"],
    ["too much weight", { Package: packageRated({ Weight: "151" }) }, "111035"],
    ["an unknown service", { Service: { Code: "99" } }, "111210"],
    [
      "an account number of five characters",
      { Shipper: { ShipperNumber: "A1B2C", Address: upsAddress("07102") } },
      "20008",
    ],
    [
      "four lines of an address",
      { ShipTo: { Address: upsAddress("90001", { AddressLine: ["1", "2", "3", "4"] }) } },
      "20008",
    ],
  ])("refuses %s", async (_what, shipment, code) => {
    const reply = await fixture.post("/api/rating/v2409/Rate", rateBody(ups, shipment));
    expect([reply.status, upsErrorCode(reply)]).toEqual([400, code]);
  });

  test("refuses broken JSON and unknown options", async () => {
    const broken = await fetch(`${ups.url}/api/rating/v2409/Rate`, {
      method: "POST",
      headers: await fixture.headers(),
      body: "{",
    });
    expect(broken.status).toBe(400);
    expect(upsErrorCode(await fixture.post("/api/rating/v2409/Best", rateBody(ups)))).toBe("110601");
    expect(upsErrorCode(await fixture.post("/api/rating/v2409/Rate", rateBody(ups, { Service: undefined })))).toBe(
      "111100",
    );
  });

  test("faults: missing negotiated price, partial list, one object, a service twice", async () => {
    const shop = rateBody(ups, { Service: undefined });
    ups.inject("negotiated_missing");
    const first = await fixture.post("/api/rating/v2409/Rate", rateBody(ups));
    expect(first.body.RateResponse!.RatedShipment![0]!.NegotiatedRateCharges).toBeUndefined();
    ups.inject("partial_rates");
    expect((await fixture.post("/api/rating/v2409/Shop", shop)).body.RateResponse!.RatedShipment).toHaveLength(1);
    ups.inject("duplicate_rate");
    const doubled = [...(await fixture.post("/api/rating/v2409/Shop", shop)).body.RateResponse!.RatedShipment!];
    expect(doubled.map((one) => one.Service!.Code).slice(0, 2)).toEqual(["03", "03"]);
    ups.inject("single_object");
    expect(
      (await fixture.post("/api/rating/v2409/Rate", rateBody(ups))).body.RateResponse!.RatedShipment!.Service!.Code,
    ).toBe("03");
  });
});

function packageRated({ Weight }: { Weight: unknown }) {
  return [{ PackagingType: { Code: "02" }, PackageWeight: { UnitOfMeasurement: upsUnit("LBS"), Weight } }];
}
