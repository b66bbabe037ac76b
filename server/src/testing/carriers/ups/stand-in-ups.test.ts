import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ask, textOf } from "../ask-stand-in.ts";
import type { UpsStandIn } from "./stand-in-ups.ts";
import { startUps } from "./stand-in-ups.ts";
import { packageWith, rateBody, shipBody, upsAddress, upsFixture, upsErrorCode, upsToken } from "./ups-fixture.ts";

let ups: UpsStandIn;
let fixture: ReturnType<typeof upsFixture>;
let today = new Date("2026-03-16T15:00:00Z");
const now = (): Date => today;

beforeAll(async () => {
  ups = await startUps({ now });
  fixture = upsFixture(ups);
});
afterEach(() => ups.calm());
afterAll(() => ups.close());

const recover = (reference: string, more: object = {}, version = "v1") =>
  fixture.post(`/api/labels/${version}/recovery`, {
    LabelRecoveryRequest: {
      Request: {},
      ReferenceValues: { ReferenceNumber: { Value: reference }, ShipperNumber: ups.accountNumber },
      ...more,
    },
  });
describe("tokens", () => {
  test("a wrong secret, a missing grant and a wrong content type are refused in the form of UPS", async () => {
    const basic = Buffer.from("ups-client:wrong").toString("base64");
    const url = `${ups.url}/security/v1/oauth/token`;
    const form = { grant_type: "client_credentials" };
    const wrong = await ask(url, { headers: { authorization: `Basic ${basic}` }, form });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual({ response: { errors: [{ code: "10401", message: "ClientId is Invalid" }] } });
    const good = { authorization: `Basic ${Buffer.from("ups-client:ups-secret").toString("base64")}` };
    expect((await ask(url, { headers: good, form: {} })).status).toBe(400);
    expect(upsErrorCode(await ask(url, { headers: good, json: form }))).toBe("10007");
    expect(upsErrorCode(await ask(url, { form }))).toBe("10400");
    const right = await ask(url, { headers: good, form });
    expect(right.body).toMatchObject({ token_type: "Bearer", expires_in: "14399", status: "approved", scope: "" });
    expect(textOf(right.body.issued_at)).toMatch(/^\d{13}$/);
  });

  test("expired and foreign tokens are refused, a new one works", async () => {
    const old = (await fixture.headers()).authorization!;
    ups.expireTokens();
    expect(upsErrorCode(await fixture.post("/api/rating/v2409/Rate", rateBody(ups)))).toBe("250002");
    fixture.forgetToken();
    expect((await fixture.post("/api/rating/v2409/Rate", rateBody(ups))).status).toBe(200);
    expect((await ask(`${ups.url}/api/rating/v2409/Rate`, { headers: { authorization: old }, json: {} })).status).toBe(
      401,
    );
    const [prefix, text] = (await upsToken(ups)).split(".");
    const forged = { authorization: `Bearer ${prefix}.${text}.forged` };
    expect((await ask(`${ups.url}/api/rating/v2409/Rate`, { headers: forged, json: rateBody(ups) })).status).toBe(401);
    ups.inject("expired_token", { operation: "rate" });
    const expired = await fixture.post("/api/rating/v2409/Rate", rateBody(ups));
    expect([expired.status, upsErrorCode(expired)]).toEqual([401, "251004"]);
    ups.inject("wrong_key");
    expect(await upsToken(ups)).toBe("undefined");
  });
});

describe("labels", () => {
  test("a purchase answers number, price and a GIF, and is in the journal with its reference", async () => {
    const bought = ups.journal("buy").length;
    const results = await fixture.buy();
    const number = textOf(results.ShipmentIdentificationNumber);
    expect(number).toMatch(/^1ZA1B2C303\d{8}$/);
    expect(results).toMatchObject({
      ShipmentCharges: { TotalCharges: { CurrencyCode: "USD" } },
      NegotiatedRateCharges: { TotalCharge: { CurrencyCode: "USD" } },
      BillingWeight: { Weight: "5.0" },
      PackageResults: [{ TrackingNumber: number, ShippingLabel: { ImageFormat: { Code: "GIF" } } }],
    });
    const image = Buffer.from(textOf(results.PackageResults![0]!.ShippingLabel!.GraphicImage), "base64");
    expect(image.subarray(0, 6).toString()).toBe("GIF89a");
    expect(image.toString("latin1")).toContain(number);
    expect(image.at(-1)).toBe(0x3b);
    expect(ups.journal("buy")).toHaveLength(bought + 1);
    expect(ups.journal("buy").at(-1)).toMatchObject({ references: ["key-1"], trackingNumbers: [number] });
  });

  test("one package as an object instead of a list, by fault and in older versions", async () => {
    ups.inject("single_object", { operation: "buy" });
    expect(textOf((await fixture.buy()).PackageResults!.TrackingNumber)).toMatch(/^1Z/);
    const { body } = await fixture.post("/api/shipments/v1801/ship", shipBody(ups));
    expect(textOf(body.ShipmentResponse!.ShipmentResults!.PackageResults!.TrackingNumber)).toMatch(/^1Z/);
  });

  test("the same request again buys again", async () => {
    const bought = ups.journal("buy").length;
    const [one, other] = [await fixture.buy(), await fixture.buy()];
    expect(one.ShipmentIdentificationNumber).not.toBe(other.ShipmentIdentificationNumber);
    expect(ups.journal("buy")).toHaveLength(bought + 2);
  });

  test("labels come as ZPL and PNG too, one for each package", async () => {
    const zpl = { LabelImageFormat: { Code: "ZPL" }, LabelStockSize: { Height: "6", Width: "4" } };
    const results = await fixture.buy({ Package: [...packageWith({}), ...packageWith({})] }, zpl);
    expect(results.PackageResults).toHaveLength(2);
    for (const one of results.PackageResults!) {
      const text = Buffer.from(textOf(one.ShippingLabel!.GraphicImage), "base64").toString();
      expect(text).toMatch(/^\^XA[\s\S]*\^XZ\n$/);
      expect(text).toContain(textOf(one.TrackingNumber));
    }
    const png = (await fixture.buy({}, { LabelImageFormat: { Code: "PNG" } })).PackageResults![0]!.ShippingLabel!;
    const image = Buffer.from(textOf(png.GraphicImage), "base64");
    const [width, height] = [image.readUInt32BE(16), image.readUInt32BE(20)];
    const data = image.indexOf("IDAT");
    const pixels = inflateSync(image.subarray(data + 4, data + 4 + image.readUInt32BE(data - 4)));
    expect(pixels).toHaveLength((width + 1) * height);
  });

  test.each<[string, object, string]>([
    [
      "a foreign shipper number",
      { Shipper: { Name: "X", ShipperNumber: "ZZZZZZ", Address: upsAddress("07102") } },
      "120100",
    ],
    ["no payer", { PaymentInformation: { ShipmentCharge: [{ Type: "02" }] } }, "20007"],
    ["a reference at the level of a domestic shipment", { ReferenceNumber: [{ Value: "key" }] }, "120541"],
    [
      "a reference of 36 characters",
      { Package: packageWith({ ReferenceNumber: [{ Value: "x".repeat(36) }] }) },
      "20008",
    ],
    [
      "a signature at the level of a domestic shipment",
      { ShipmentServiceOptions: { DeliveryConfirmation: { DCISType: "2" } } },
      "121950",
    ],
    [
      "a signature type of 1 for a package",
      { Package: packageWith({ PackageServiceOptions: { DeliveryConfirmation: { DCISType: "1" } } }) },
      "20008",
    ],
    ["a name of 36 characters", { ShipTo: { Name: "x".repeat(36), Address: upsAddress("90001") } }, "20008"],
    ["an unknown service", { Service: { Code: "99" } }, "121210"],
    ["no street", { ShipTo: { Name: "Ann", Address: upsAddress("90001", { AddressLine: undefined }) } }, "20007"],
  ])("refuses %s", async (_what, shipment, code) => {
    const reply = await fixture.post("/api/shipments/v2409/ship", shipBody(ups, shipment));
    expect([reply.status, upsErrorCode(reply)]).toEqual([400, code]);
  });

  test("refuses PDF, and ZPL without a size", async () => {
    expect(
      upsErrorCode(
        await fixture.post("/api/shipments/v2409/ship", shipBody(ups, {}, { LabelImageFormat: { Code: "PDF" } })),
      ),
    ).toBe("20008");
    expect(
      upsErrorCode(
        await fixture.post("/api/shipments/v2409/ship", shipBody(ups, {}, { LabelImageFormat: { Code: "ZPL" } })),
      ),
    ).toBe("20007");
  });

  test("a shipment abroad takes its reference at its own level", async () => {
    const abroad = {
      ShipTo: {
        Name: "Bob",
        AttentionName: "Bob",
        Phone: { Number: "4161234567" },
        Address: {
          AddressLine: ["1 Bay"],
          City: "Toronto",
          StateProvinceCode: "ON",
          PostalCode: "M5C2M6",
          CountryCode: "CA",
        },
      },
      Service: { Code: "65" },
    };
    expect(upsErrorCode(await fixture.post("/api/shipments/v2409/ship", shipBody(ups, abroad)))).toBe("120540");
    const { AttentionName: _name, ...noAttention } = abroad.ShipTo;
    const { Phone: _phone, ...noPhone } = abroad.ShipTo;
    const without = async (more: object) => {
      const shipment = { ...abroad, Package: packageWith({}), ...more };
      return upsErrorCode(await fixture.post("/api/shipments/v2409/ship", shipBody(ups, shipment)));
    };
    expect(await without({ ShipTo: noAttention })).toBe("120217");
    expect(await without({ ShipTo: noPhone })).toBe("120213");
    const signed = packageWith({ PackageServiceOptions: { DeliveryConfirmation: { DCISType: "2" } } });
    expect(await without({ Package: signed })).toBe("121950");
    const results = await fixture.buy({ ...abroad, Package: packageWith({}), ReferenceNumber: { Value: "abroad-1" } });
    expect(ups.journal("buy").at(-1)).toMatchObject({
      references: ["abroad-1"],
      shipmentId: results.ShipmentIdentificationNumber,
    });
  });

  test("a lost purchase is found by its reference", async () => {
    ups.inject("cut_after", { operation: "buy" });
    const lost = shipBody(ups, { Package: packageWith({ ReferenceNumber: [{ Value: "lost-1" }] }) });
    await expect(fixture.post("/api/shipments/v2409/ship", lost)).rejects.toThrow("fetch failed");
    const found = (await recover("lost-1")).body.LabelRecoveryResponse!;
    // One object, not a list: this API has no newer version.
    expect(found.LabelResults!.TrackingNumber).toBe(found.ShipmentIdentificationNumber);
    expect(found.LabelResults!.LabelImage!.LabelImageFormat!.Code).toBe("GIF");
    expect(ups.journal("buy").filter(({ references }) => (references as string[]).includes("lost-1"))).toHaveLength(1);
  });

  test("recovery: other formats, late, GIF instead, several with one reference, none", async () => {
    const number = await fixture.buyAs("recover-1");
    const pdf = { LabelSpecification: { LabelImageFormat: { Code: "PDF" } } };
    const image = (await recover("recover-1", pdf)).body.LabelRecoveryResponse!.LabelResults!.LabelImage!;
    expect(Buffer.from(textOf(image.GraphicImage), "base64").toString("latin1")).toMatch(/^%PDF-1.4[\s\S]*%%EOF\n$/);
    ups.inject("recovery_late");
    expect((await recover("recover-1")).status).toBe(400);
    ups.inject("recovery_gif");
    const gif = (await recover("recover-1", pdf)).body.LabelRecoveryResponse!.LabelResults!.LabelImage!;
    expect(gif.LabelImageFormat!.Code).toBe("GIF");
    const second = await fixture.buyAs("recover-1");
    const candidates = [...(await recover("recover-1")).body.LabelRecoveryResponse!.TrackingCandidate!];
    expect(candidates.map(({ TrackingNumber }) => TrackingNumber)).toEqual([number, second]);
    expect((await recover("never-bought")).status).toBe(400);
    expect(upsErrorCode(await recover("", { ReferenceValues: undefined }))).toBe("20007");
    expect((await recover("recover-1", { ReferenceValues: { ReferenceNumber: { Value: "recover-1" } } })).status).toBe(
      400,
    );
  });

  test("a voided label cannot be voided again or recovered, and is tracked as void", async () => {
    const number = await fixture.buyAs("void-1");
    const where = `/api/shipments/v2409/void/cancel/${number}`;
    const done = await fixture.erase(where);
    expect(done.body.VoidShipmentResponse!.SummaryResult!.Status).toEqual({ Code: "1", Description: "Success" });
    expect(upsErrorCode(await fixture.erase(where))).toBe("190117");
    expect((await recover("void-1")).status).toBe(400);
    const tracked = (await fixture.get(`/api/track/v1/details/${number}`)).body.trackResponse!.shipment![0]!
      .package![0]!;
    expect(tracked.currentStatus!.type).toBe("MV");
    expect(ups.journal("void")).toHaveLength(1);
  });

  test("a void is refused after 90 days, for unknown shipments and by the fault; one package of two can be voided", async () => {
    const erase = (where: string) => fixture.erase(`/api/shipments/v2409/void/cancel/${where}`);
    const results = await fixture.buy({ Package: [...packageWith({}), ...packageWith({})] });
    const [first, second] = [...results.PackageResults!].map((one) => textOf(one.TrackingNumber));
    ups.inject("void_refused");
    expect(upsErrorCode(await erase(first!))).toBe("190102");
    expect(upsErrorCode(await erase("1Z0000000000000000"))).toBe("190102");
    const part = await erase(`${first}?trackingnumber=${second}`);
    expect(part.body.VoidShipmentResponse!.PackageLevelResult).toEqual([
      { TrackingNumber: second, Status: { Code: "1", Description: "Success" } },
    ]);
    expect(upsErrorCode(await erase(`${first}?trackingnumber=1Z0000000000000000`))).toBe("190104");
    const many = Array.from({ length: 21 }, () => first).join(",");
    expect(upsErrorCode(await erase(`${first}?trackingnumber=${many}`))).toBe("20008");
    const bought = today;
    today = new Date(bought.getTime() + 91 * 86_400_000);
    expect(upsErrorCode(await erase(first!))).toBe("190102");
    today = bought;
    expect((await erase(first!)).status).toBe(200);
  });
});

test("faults of the connection: 429, HTML, errors before and after the purchase", async () => {
  const ship = () => fixture.post("/api/shipments/v2409/ship", shipBody(ups));
  const sold = ups.journal("buy").length;
  ups.inject("rate_limit", { operation: "buy" });
  expect((await ship()).headers.get("retry-after")).toBe("1");
  ups.inject("rate_limit_without_header", { operation: "buy" });
  const limited = await ship();
  expect([limited.status, limited.headers.get("retry-after"), upsErrorCode(limited)]).toEqual([429, null, "10429"]);
  ups.inject("html", { operation: "buy" });
  expect((await ship()).text).toContain("<html>");
  ups.inject("error_before", { operation: "buy" });
  expect((await ship()).status).toBe(500);
  expect(ups.journal("buy")).toHaveLength(sold);
  ups.inject("error_after", { operation: "buy" });
  expect((await ship()).status).toBe(500);
  expect(ups.journal("buy")).toHaveLength(sold + 1);
  ups.inject("hang_after", { operation: "buy" });
  await expect(
    ask(`${ups.url}/api/shipments/v2409/ship`, {
      headers: await fixture.headers(),
      json: shipBody(ups),
      timeoutMs: 300,
    }),
  ).rejects.toThrow("aborted due to timeout");
  expect(ups.journal("buy")).toHaveLength(sold + 2);
});

test("what was sold survives a restart on the same journal", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "stand-in-ups-"));
  const journalFile = path.join(folder, "journal.jsonl");
  const before = await startUps({ journalFile, now });
  const access = { authorization: `Bearer ${await upsToken(before)}`, transId: "t", transactionSrc: "test" };
  const bought = await ask(`${before.url}/api/shipments/v2409/ship`, { headers: access, json: shipBody(ups) });
  const number = textOf(bought.body.ShipmentResponse!.ShipmentResults!.ShipmentIdentificationNumber);
  before.scan(number, { type: "I", code: "OR", description: "Origin Scan", at: "2026-03-16T20:15:19-04:00" });
  await before.close();
  const after = await startUps({ journalFile, now });
  try {
    // The token is still good, too.
    const tracked = await ask(`${after.url}/api/track/v1/details/${number}`, { headers: access });
    expect(tracked.body.trackResponse!.shipment![0]!.package![0]!.currentStatus!.code).toBe("OR");
    const next = await ask(`${after.url}/api/shipments/v2409/ship`, { headers: access, json: shipBody(ups) });
    expect(next.body.ShipmentResponse!.ShipmentResults!.ShipmentIdentificationNumber).not.toBe(number);
    expect(after.journal("buy")).toHaveLength(2);
  } finally {
    await after.close();
    await rm(folder, { recursive: true });
  }
});
