import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ask, textOf } from "../ask-stand-in.ts";
import { fedexFixture, fedexErrorCode, rateBody } from "./fedex-fixture.ts";
import { fedexServices, fedexSurcharges } from "./stand-in-fedex-prices.ts";
import type { FedexStandIn } from "./stand-in-fedex.ts";
import { startFedex } from "./stand-in-fedex.ts";

let fedex: FedexStandIn;
let fixture: ReturnType<typeof fedexFixture>;
const now = (): Date => new Date("2026-03-16T15:00:00Z");

beforeAll(async () => {
  fedex = await startFedex({ now });
  fixture = fedexFixture(fedex);
});
afterEach(() => fedex.calm());
afterAll(() => fedex.close());

const rate = (shipment: object = {}, more: object = {}) =>
  fixture.post("/rate/v1/rates/quotes", rateBody(fedex, shipment, more));
const detailsOf = (reply: Awaited<ReturnType<typeof ask>>) => [...reply.body.output!.rateReplyDetails!];
describe("rates", () => {
  test("prices come as floats, by contract and by list, with surcharges", async () => {
    const reply = await rate();
    expect(reply.body).toMatchObject({
      customerTransactionId: "order-1",
      output: { encoded: false, quoteDate: "2026-03-16" },
    });
    const details = detailsOf(reply);
    const codes = details.map(({ serviceType }) => textOf(serviceType));
    expect(codes.join(" ")).toBe(
      "FEDEX_GROUND FEDEX_EXPRESS_SAVER FEDEX_2_DAY STANDARD_OVERNIGHT PRIORITY_OVERNIGHT FIRST_OVERNIGHT",
    );
    const ground = fedexServices[0]!;
    const listBase = ground.baseCents + 5 * ground.perPoundCents + 6 * ground.perZoneCents;
    const base = listBase - Math.round((listBase * fedexSurcharges.discountPercent) / 100);
    const total = base + Math.round((base * fedexSurcharges.fuelPercent) / 100);
    expect(details[0]!.ratedShipmentDetails).toMatchObject([
      {
        rateType: "ACCOUNT",
        totalBaseCharge: base / 100,
        totalNetFedExCharge: total / 100,
        totalNetCharge: total / 100,
        currency: "USD",
      },
      { rateType: "LIST", totalBaseCharge: listBase / 100 },
    ]);
    expect(details[0]!.ratedShipmentDetails![0]!.shipmentRateDetail).toMatchObject({
      rateZone: "8",
      dimDivisor: 139,
      surCharges: [{ type: "FUEL", level: "SHIPMENT", amount: (total - base) / 100 }],
      totalBillingWeight: { units: "LB", value: 5 },
    });
    expect(details[0]!.commit!.label).toBe("Delivery date unavailable");
  });

  test("Ground to a home is another service, and costs more", async () => {
    const home = { recipient: { address: { postalCode: "90001", countryCode: "US", residential: true } } };
    const details = detailsOf(await rate(home));
    const codes = details.map(({ serviceType }) => textOf(serviceType));
    expect(codes).toContain("GROUND_HOME_DELIVERY");
    expect(codes).not.toContain("FEDEX_GROUND");
    const charges = details[0]!.ratedShipmentDetails![0]!.shipmentRateDetail!.surCharges!;
    expect(charges[0]).toMatchObject({ type: "RESIDENTIAL_DELIVERY", amount: 6.15 });
  });

  test("taxes are in the net charge and not in the FedEx charge", async () => {
    const abroad = {
      recipient: { address: { postalCode: "M5C2M6", countryCode: "CA" } },
      serviceType: "INTERNATIONAL_ECONOMY",
    };
    const details = detailsOf(await rate(abroad));
    const { totalNetCharge, totalNetFedExCharge } = details[0]!.ratedShipmentDetails![0]! as Record<string, unknown>;
    expect(Number(totalNetCharge)).toBeCloseTo(Number(totalNetFedExCharge) * 1.05, 2);
  });

  test("transit times are local days, when asked for", async () => {
    const control = { rateRequestControlParameters: { returnTransitTimes: true } };
    const reply = await rate({ serviceType: "FEDEX_GROUND", shipDateStamp: "2026-03-20" }, control);
    const { commit } = detailsOf(reply)[0]!;
    expect(commit!.dateDetail).toEqual({ dayOfWeek: "Thu", dayFormat: "2026-03-26T23:59:00" });
    expect(commit!.transitDays!.minimumTransitTime).toBe("FOUR_DAYS");
  });

  test.each<[string, object, object, string]>([
    ["the field of another request", { shipDatestamp: "2026-03-16" }, {}, "INVALID.INPUT.EXCEPTION"],
    [
      "a weight as text",
      { requestedPackageLineItems: [{ weight: { units: "LB", value: "5" } }] },
      {},
      "INVALID.INPUT.EXCEPTION",
    ],
    [
      "a length with decimals",
      {
        requestedPackageLineItems: [
          { weight: { units: "LB", value: 5 }, dimensions: { length: 1.5, width: 1, height: 1, units: "IN" } },
        ],
      },
      {},
      "INVALID.INPUT.EXCEPTION",
    ],
    ["no pickup type", { pickupType: undefined }, {}, "INVALID.INPUT.EXCEPTION"],
    ["an account as text", {}, { accountNumber: "740561073" }, "INVALID.INPUT.EXCEPTION"],
    ["another account", {}, { accountNumber: { value: "111111111" } }, "ACCOUNT.NUMBER.MISMATCH"],
    ["no ZIP code", { recipient: { address: { countryCode: "US" } } }, {}, "RECIPIENT.POSTALCODE.INVALID"],
    ["no country", { recipient: { address: { postalCode: "90001" } } }, {}, "COUNTRY.CODE.INVALID"],
    [
      "too much weight",
      { requestedPackageLineItems: [{ weight: { units: "KG", value: 70 } }] },
      {},
      "PACKAGE.WEIGHT.EXCEEDS.MAXIMUM",
    ],
    ["no weight", { requestedPackageLineItems: [{ weight: { units: "KG", value: 0 } }] }, {}, "PACKAGE.WEIGHT.INVALID"],
    ["an unknown service", { serviceType: "FEDEX_TELEPORT" }, {}, "SERVICE.PACKAGECOMBINATION.INVALID"],
  ])("refuses %s", async (_what, shipment, more, code) => {
    const reply = await rate(shipment, more);
    expect([reply.status, fedexErrorCode(reply)]).toEqual([400, code]);
  });

  test("the error of a field names it", async () => {
    const { body } = await rate({ pickupType: undefined });
    expect(body.errors![0]!.parameterList![0]!.key).toBe("required.requestedShipment.pickupType");
    const url = `${fedex.url}/rate/v1/rates/quotes`;
    const form = await ask(url, { headers: await fixture.headers("ship"), form: { a: "b" } });
    expect(form.status).toBe(415);
    const headers = { ...(await fixture.headers("ship")), "content-type": "application/json" };
    expect((await fetch(url, { method: "POST", headers, body: "{" })).status).toBe(400);
  });

  test("faults: no negotiated price, partial list, one object, float noise", async () => {
    fedex.inject("negotiated_missing");
    expect([...detailsOf(await rate())[0]!.ratedShipmentDetails!].map(({ rateType }) => textOf(rateType))).toEqual([
      "LIST",
    ]);
    fedex.inject("partial_rates");
    expect(detailsOf(await rate())).toHaveLength(1);
    fedex.inject("single_object");
    expect((await rate({ serviceType: "FEDEX_2_DAY" })).body.output!.rateReplyDetails!.serviceType).toBe("FEDEX_2_DAY");
    fedex.inject("float_noise");
    const noisy = Number(detailsOf(await rate())[0]!.ratedShipmentDetails![0]!.totalNetCharge);
    expect(textOf(noisy)).toMatch(/^\d+\.\d{10,}$/);
  });
});
