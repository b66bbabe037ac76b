import { afterEach, expect, test } from "vitest";
import type { RateRequest } from "../../carriers/seam/carrier.ts";
import type { Quote } from "../../carriers/seam/quotes.ts";
import { remoteQuote } from "../../carriers/seam/quotes.ts";
import { standInCarrier, startStandInCarrier } from "../../testing/stand-in-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const carrier = await startStandInCarrier();
const accountId = await carrier.account(hub, org);

let asked: RateRequest | undefined;
const offer = (...quotes: Quote[]): void => {
  standInCarrier.rate = (_call, request) => {
    asked = request;
    return Promise.resolve(quotes);
  };
};
afterEach(() => {
  delete standInCarrier.rate;
});

const parcel = { origin: { zip: "07114" }, destination: { zip: "90210" }, weight: { value: 3, unit: "lb" } };
const quote = (more: object = {}) => org.post(`/carrier-accounts/${accountId}/quote`, { ...parcel, ...more });
const ground = { service: "ground", serviceName: "Ground", currency: "USD" };

test("a quote of a carrier's API has what the carrier says, and nothing of its own data", async () => {
  offer(
    remoteQuote({
      ...ground,
      cents: 1234,
      listCents: 2000,
      level: "ground",
      deliverBy: "2026-03-09",
      isGuaranteed: true,
      expiresAt: "2026-03-02T16:00:00Z",
      carrierData: { rateId: "rate_secret" },
      lines: [{ code: "base", label: "Base", cents: 1234 }],
    }),
    remoteQuote({ ...ground, service: "odd", cents: 900, level: "hovercraft" }),
  );
  const { status, body, text } = await quote();
  expect(status).toBe(200);
  expect(body.quotes).toMatchObject([
    { service: "odd", level: null, total: 9, zone: null, zoneSource: null, weight: null, listTotal: null },
    {
      service: "ground",
      level: "ground",
      total: 12.34,
      listTotal: 20,
      deliverBy: "2026-03-09",
      isGuaranteed: true,
      expiresAt: "2026-03-02T16:00:00Z",
      lines: [{ code: "base", amount: 12.34 }],
    },
  ]);
  expect(text).not.toContain("rate_secret");
});

test("addresses and options reach the carrier", async () => {
  offer();
  const destination = { address1: "12 Analytical Way", city: "Albany", state: "NY", zip: "12207", countryCode: "US" };
  await quote({ destination, residential: true, options: { signature: "signature" } });
  const { state, ...rest } = destination;
  expect(asked).toMatchObject({
    from: { zip: "07114" },
    to: { ...rest, provinceCode: state },
    options: { signature: "signature", residential: true },
    parcels: [{ weight: parcel.weight }],
  });
});

test.each([
  ["is not a number", { total: Number.NaN }],
  ["is negative", { total: -1 }],
  ["has no currency", { currency: "dollars" }],
])("a price that %s makes its service unavailable, not the others", async (_, wrong) => {
  offer({ ...remoteQuote({ ...ground, cents: 900 }), ...wrong }, remoteQuote({ ...ground, service: "two", cents: 1 }));
  const { body } = await quote();
  expect(body.quotes.map(({ service }: Quote) => service)).toEqual(["two"]);
  expect(body.unavailable).toMatchObject([{ service: "ground", reason: "unexpected_response" }]);
});

test("amounts of a currency without decimals are whole", async () => {
  offer(remoteQuote({ ...ground, currency: "JPY", cents: 1200, listCents: 1500 }));
  expect((await quote()).body.quotes).toMatchObject([{ total: 1200, listTotal: 1500, currency: "JPY" }]);
});
