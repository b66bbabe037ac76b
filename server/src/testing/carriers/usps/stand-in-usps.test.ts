import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ask, textOf } from "../ask-stand-in.ts";
import { postageCents, uspsClasses } from "./stand-in-usps-prices.ts";
import type { UspsStandIn } from "./stand-in-usps.ts";
import { startUsps } from "./stand-in-usps.ts";
import {
  labelBody,
  metadataOf,
  partsOf,
  paymentBody,
  trackingNumberOf,
  uspsAddress,
  uspsFixture,
  uspsProblem,
  uspsToken,
} from "./usps-fixture.ts";

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

const key = (number: number): string => `5f0c6a3e-0000-4000-8000-${textOf(number).padStart(12, "0")}`;
const cancel = (number: string) => fixture.paid("DELETE", `/labels/v3/label/${number}`);

describe("tokens and quota", () => {
  test("a wrong secret is refused in the form of RFC 6749", async () => {
    const wrong = await uspsToken(usps, "wrong");
    expect([wrong.status, wrong.body.error]).toEqual([401, "invalid_client"]);
    usps.inject("wrong_key");
    expect((await uspsToken(usps)).status).toBe(401);
    const form = { grant_type: "client_credentials", client_id: usps.clientId, client_secret: usps.clientSecret };
    const right = await ask(`${usps.url}/oauth2/v3/token`, { form });
    expect(right.body).toMatchObject({ token_type: "Bearer", expires_in: 28_799, status: "approved" });
    usps.inject("numbers_as_text");
    expect((await uspsToken(usps)).body.expires_in).toBe("28799");
    const grant = await ask(`${usps.url}/oauth2/v3/token`, { form: { ...form, grant_type: "password" } });
    expect(grant.body.error).toBe("unsupported_grant_type");
    expect((await ask(`${usps.url}/oauth2/v3/token`, { form: {} })).body.error).toBe("invalid_request");
  });

  test("expired access and payment tokens are refused, new ones work", async () => {
    const number = await fixture.buy();
    usps.expireTokens();
    const expired = await fixture.send("GET", `/tracking/v3/tracking/${number}`);
    expect([expired.status, expired.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="USPS"']);
    fixture.forgetTokens();
    expect((await fixture.send("GET", `/tracking/v3/tracking/${number}`)).status).toBe(200);
    await fixture.paymentHeaders();
    usps.expirePayments();
    const unpaid = await fixture.label();
    expect([unpaid.status, uspsProblem(unpaid)]).toEqual([
      401,
      "X-Payment-Authorization-Token: The payment authorization token is invalid or has expired.",
    ]);
    fixture.forgetTokens();
    usps.inject("payment_expired", { operation: "void" });
    expect((await cancel(number)).status).toBe(401);
    usps.inject("expired_token", { operation: "track" });
    expect((await fixture.send("GET", `/tracking/v3/tracking/${number}`)).status).toBe(401);
    usps.inject("not_entitled", { operation: "track" });
    expect((await fixture.send("GET", `/tracking/v3/tracking/${number}`)).status).toBe(403);
    expect((await fixture.send("POST", "/labels/v3/label", labelBody())).status).toBe(400);
  });

  test("a payment authorization needs both roles, the customer's ids and the account", async () => {
    const authorize = (json: object) => fixture.send("POST", "/payments/v3/payment-authorization", json);
    const { body } = await authorize(paymentBody(usps));
    expect([...body.roles!].map(({ roleName }) => textOf(roleName))).toEqual(["PAYER", "LABEL_OWNER", "RATE_HOLDER"]);
    expect((await authorize({ roles: paymentBody(usps).roles.slice(0, 1) })).status).toBe(400);
    expect((await authorize(paymentBody(usps, { CRID: "999" }))).status).toBe(400);
    expect((await authorize(paymentBody(usps, { accountNumber: "1" }))).status).toBe(400);
    expect((await authorize({ roles: [] })).status).toBe(400);
  });

  test("the quota is 60 calls an hour, with the time to wait", async () => {
    const small = await startUsps({ now });
    const own = uspsFixture(small);
    const address = "/addresses/v3/address?streetAddress=1+Port&state=NJ&ZIPCode=07102";
    for (let call = 1; call < 60; call++) expect((await own.send("GET", address)).status).toBe(200);
    today = new Date(start.getTime() + 60_000);
    const limited = await own.send("GET", address);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3540"]);
    expect((await uspsToken(small)).status).toBe(429);
    today = new Date(start.getTime() + 3_600_000);
    expect((await own.send("GET", address)).status).toBe(200);
    await small.close();
  });
});

describe("labels", () => {
  test("the answer is multipart: metadata as JSON, the label as base64", async () => {
    const sold = usps.journal("buy").length;
    const reply = await fixture.label({ customerReference: [{ referenceNumber: "order-1" }], extraServices: [921] });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toMatch(/^multipart\/form-data; boundary=/);
    const parts = partsOf(reply);
    expect([...parts.keys()]).toEqual(["labelMetadata", "labelImage"]);
    const metadata = metadataOf(reply);
    const postage = postageCents(uspsClasses[0]!, { weight: 2.5, length: 10, width: 8, height: 4 }, 8, "COMMERCIAL");
    expect(metadata).toMatchObject({
      postage: postage / 100,
      zone: "08",
      weightUOM: "LB",
      routingInformation: "42090001",
      extraServices: [
        { name: "USPS Tracking", price: 0 },
        { name: "Signature Confirmation", price: 3.45 },
      ],
      commitment: { name: "5 Days", scheduleDeliveryDate: "2026-03-23" },
    });
    expect(textOf(metadata.trackingNumber)).toMatch(/^92346903123456\d{8}$/);
    const file = Buffer.from(parts.get("labelImage")!.content, "base64").toString("latin1");
    expect(file).toMatch(/^%PDF-1.4/);
    expect(file).toContain(textOf(metadata.trackingNumber));
    expect(usps.journal("buy")).toHaveLength(sold + 1);
    expect(usps.journal("buy").at(-1)).toMatchObject({ references: ["order-1"], totalCents: postage + 345 });
  });

  test("under the same key the same request is the same label, another request is refused", async () => {
    const sold = usps.journal("buy").length;
    const [first, second] = [await fixture.label({}, {}, key(1)), await fixture.label({}, {}, key(1).toUpperCase())];
    expect(trackingNumberOf(second)).toBe(trackingNumberOf(first));
    expect(second.headers.get("x-idempotency-key")).toBe(key(1));
    expect(usps.journal("buy")).toHaveLength(sold + 1);
    const other = await fixture.label({ weight: 3 }, {}, key(1));
    expect([other.status, uspsProblem(other)]).toEqual([
      400,
      "X-Idempotency-Key: The idempotency key was used with another request.",
    ]);
    expect((await fixture.label({}, {}, "order-1")).status).toBe(400);
    expect(trackingNumberOf(await fixture.label())).not.toBe(trackingNumberOf(await fixture.label()));
    expect(usps.journal("buy")).toHaveLength(sold + 3);
  });

  test("a lost label is found by its key: asked again, printed again, or canceled", async () => {
    usps.inject("cut_after", { operation: "buy" });
    await expect(fixture.label({}, {}, key(2))).rejects.toThrow("fetch failed");
    usps.inject("error_after", { operation: "buy" });
    expect((await fixture.label({}, {}, key(2))).status).toBe(503);
    const number = trackingNumberOf(await fixture.label({}, {}, key(2)));
    const byKey = { "x-idempotency-key": key(2) };
    const reprint = await fixture.paid(
      "POST",
      "/labels/v3/label-reprint",
      { imageInfo: { imageType: "ZPL203DPI" } },
      byKey,
    );
    expect(trackingNumberOf(reprint)).toBe(number);
    expect(JSON.parse(partsOf(reprint).get("reprintInfo")!.content)).toEqual({ reprintNumber: 1, reprintLimit: 3 });
    expect(Buffer.from(partsOf(reprint).get("labelImage")!.content, "base64").toString()).toContain(`^FD${number}^FS`);
    expect(usps.journal("buy").filter((entry) => entry.key === key(2))).toHaveLength(1);
    const done = await fixture.paid("DELETE", "/labels/v3/label", undefined, byKey);
    expect(done.body).toEqual({ trackingNumber: number, status: "CANCELED" });
    expect((await fixture.label({}, {}, key(2))).status).toBe(400);
    expect((await fixture.paid("POST", "/labels/v3/label-reprint", {}, byKey)).status).toBe(400);
    expect((await fixture.paid("DELETE", "/labels/v3/label")).status).toBe(400);
  });

  test("a label is printed again three times, up to the mailing date", async () => {
    const number = await fixture.buy();
    const reprint = () => fixture.paid("POST", `/labels/v3/label-reprint/${number}`, {});
    for (let time = 1; time <= 3; time++) expect((await reprint()).status).toBe(200);
    expect(uspsProblem(await reprint())).toBe("trackingNumber: Labels can only be reprinted up to 3 times.");
    const url = `/labels/v3/label-reprint/${number}`;
    expect(uspsProblem(await fixture.send("POST", url, {}))).toContain("X-Payment-Authorization-Token");
    const late = await fixture.buy();
    const tiff = await fixture.paid("POST", `/labels/v3/label-reprint/${late}`, { imageInfo: { imageType: "TIFF" } });
    expect(uspsProblem(tiff)).toContain("imageInfo.imageType");
    today = new Date("2026-03-17T15:00:00Z");
    expect((await fixture.paid("POST", `/labels/v3/label-reprint/${late}`, {})).status).toBe(400);
  });

  test("one JSON object for clients that accept it; other images, a receipt, no image", async () => {
    const accept = { accept: "application/vnd.usps.labels+json" };
    const json = await fixture.paid("POST", "/labels/v3/label", labelBody(), accept);
    expect(Object.keys(json.body)).toEqual(expect.arrayContaining(["trackingNumber", "postage", "labelImage"]));
    const png = await fixture.label({}, { imageInfo: { imageType: "PNG" } });
    expect(partsOf(png).get("labelImage")!.type).toBe("image/png");
    expect(Buffer.from(partsOf(png).get("labelImage")!.content, "base64").subarray(1, 4).toString()).toBe("PNG");
    const gif = await fixture.label({}, { imageInfo: { imageType: "GIF" } });
    expect(Buffer.from(partsOf(gif).get("labelImage")!.content, "base64").subarray(0, 3).toString()).toBe("GIF");
    const receipt = await fixture.label({}, { imageInfo: { receiptOption: "SEPARATE_PAGE" } });
    expect([...partsOf(receipt).keys()]).toEqual(["labelMetadata", "labelImage", "receiptImage"]);
    expect([...partsOf(await fixture.label({}, { imageInfo: { imageType: "NONE" } })).keys()]).toEqual([
      "labelMetadata",
    ]);
    expect((await fixture.label({}, { imageInfo: { imageType: "TIFF" } })).status).toBe(400);
  });

  test("large parcels have a dimensional weight and fees", async () => {
    const metadata = metadataOf(await fixture.label({ length: 24, width: 14, height: 12, rateIndicator: "DR" }));
    expect(metadata).toMatchObject({
      dimensionalWeight: 25,
      fees: [
        { name: "Nonstandard Length > 22", price: 4 },
        { name: "Nonstandard Volume > 2 cu ft", price: 18 },
      ],
    });
  });

  test.each<[string, object, object, string]>([
    ["a weight as text", { weight: "2.5" }, {}, "packageDescription.weight"],
    ["ounces", { weightUOM: "oz" }, {}, "packageDescription.weightUOM"],
    ["no processing category", { processingCategory: undefined }, {}, "packageDescription.processingCategory"],
    ["an unknown rate indicator", { rateIndicator: "XX" }, {}, "packageDescription.rateIndicator"],
    ["extra services as text", { extraServices: ["921"] }, {}, "packageDescription.extraServices.0"],
    [
      "a reference of 31 characters",
      { customerReference: [{ referenceNumber: "x".repeat(31) }] },
      {},
      "packageDescription.customerReference.0.referenceNumber",
    ],
    ["a field that does not exist", {}, { reference: "x" }, "reference"],
    ["a ZIP code of nine digits", {}, { toAddress: uspsAddress("90001-1234") }, "toAddress.ZIPCode"],
    ["a state that does not exist", {}, { toAddress: uspsAddress("90001", { state: "XX" }) }, "toAddress.state"],
    ["no name", {}, { toAddress: uspsAddress("90001", { lastName: undefined }) }, "toAddress.firstName"],
    ["a day in the past", { mailingDate: "2026-03-15" }, {}, "packageDescription.mailingDate"],
    ["a day in two weeks", { mailingDate: "2026-03-30" }, {}, "packageDescription.mailingDate"],
    ["too much weight", { weight: 71 }, {}, "packageDescription.weight"],
    ["a class that does not go there", { mailClass: "BOUND_PRINTED_MATTER" }, {}, "packageDescription.mailClass"],
  ])("refuses %s", async (_what, parcel, more, parameter) => {
    const sold = usps.journal("buy").length;
    const reply = await fixture.label(parcel, more);
    expect([reply.status, uspsProblem(reply).split(":")[0]]).toEqual([400, parameter]);
    expect(usps.journal("buy")).toHaveLength(sold);
  });

  test("faults: no funds, line feeds alone, no label part", async () => {
    const sold = usps.journal("buy").length;
    usps.inject("insufficient_funds");
    expect((await fixture.label()).status).toBe(400);
    expect(usps.journal("buy")).toHaveLength(sold);
    usps.inject("bare_newlines");
    const bare = await fixture.label();
    expect(bare.text).not.toContain("\r\n");
    expect(trackingNumberOf(bare)).toMatch(/^92/);
    usps.inject("label_missing");
    expect([...partsOf(await fixture.label()).keys()]).toEqual(["labelMetadata"]);
    const form = await ask(`${usps.url}/labels/v3/label`, {
      headers: await fixture.paymentHeaders(),
      form: { a: "b" },
    });
    expect(uspsProblem(form)).toContain("content-type");
    const headers = { ...(await fixture.paymentHeaders()), "content-type": "application/json" };
    expect((await fetch(`${usps.url}/labels/v3/label`, { method: "POST", headers, body: "{" })).status).toBe(400);
  });
});

describe("cancellation", () => {
  test("before the manifest a label is canceled, once", async () => {
    const number = await fixture.buy();
    expect((await cancel(number)).body).toEqual({ trackingNumber: number, status: "CANCELED" });
    expect(uspsProblem(await cancel(number))).toBe("trackingNumber: Order cannot be canceled");
    expect(uspsProblem(await cancel("9234690312345600009999"))).toBe("trackingNumber: Order not found");
  });

  test("after it a refund is requested, once a day, with one number for all of the day", async () => {
    const [one, other] = [await fixture.buy(), await fixture.buy()];
    today = new Date("2026-03-17T06:29:00Z");
    expect((await cancel(await fixture.buy({ mailingDate: "2026-03-17" }))).body.status).toBe("CANCELED");
    today = new Date("2026-03-17T06:30:00Z");
    const disputed = await cancel(one);
    expect(disputed.body).toMatchObject({ trackingNumber: one, status: "DISPUTED" });
    expect((await cancel(other)).body.disputeId).toBe(disputed.body.disputeId);
    expect(uspsProblem(await cancel(one))).toBe(
      "trackingNumber: A refund request for this order has already been submitted today",
    );
    today = new Date("2026-03-18T07:00:00Z");
    expect((await cancel(one)).body.disputeId).not.toBe(disputed.body.disputeId);
    expect(usps.journal("refund")).toHaveLength(3);
  });

  test("an immediate manifest takes 15 minutes; used labels have no refund", async () => {
    const options = { packageOptions: { immediateManifest: true } };
    const [one, used] = [await fixture.buy(options), await fixture.buy(options)];
    usps.scan(used, { at: "2026-03-16T11:10:00-04:00", eventCode: "03", eventType: "USPS in possession of item" });
    today = new Date(start.getTime() + 15 * 60_000);
    expect((await cancel(one)).body.status).toBe("DISPUTED");
    expect(uspsProblem(await cancel(used))).toBe("trackingNumber: A refund request for this order cannot be submitted");
    usps.inject("refund_refused");
    today = new Date(start.getTime() + 86_400_000);
    expect((await cancel(one)).status).toBe(400);
  });
});

test("faults of the connection have the form of USPS", async () => {
  usps.inject("rate_limit", { operation: "buy" });
  const limited = await fixture.label();
  expect([limited.status, limited.headers.get("retry-after"), limited.body.error!.code]).toEqual([429, "1", "429"]);
  usps.inject("rate_limit_without_header", { operation: "buy" });
  expect((await fixture.label()).headers.get("retry-after")).toBeNull();
  usps.inject("html", { operation: "buy" });
  expect((await fixture.label()).text).toContain("<html>");
  const sold = usps.journal("buy").length;
  usps.inject("error_before", { operation: "buy" });
  expect((await fixture.label()).body.error!.code).toBe("503");
  expect(usps.journal("buy")).toHaveLength(sold);
  const missing = await fixture.send("GET", "/labels/v4/label");
  expect([missing.status, missing.body.apiVersion]).toEqual([404, "/labels/v4"]);
});

test("what was sold survives a restart on the same journal", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "stand-in-usps-"));
  const journalFile = path.join(folder, "journal.jsonl");
  const before = await startUsps({ journalFile, now });
  const first = uspsFixture(before);
  const number = trackingNumberOf(await first.label({}, {}, key(3)));
  before.scan(number, { at: "2026-03-16T11:10:00-04:00", eventCode: "03", eventType: "USPS in possession of item" });
  const tokens = await first.paymentHeaders();
  await before.close();
  const after = await startUsps({ journalFile, now });
  try {
    // The tokens are still good, too.
    const again = await ask(`${after.url}/labels/v3/label`, {
      headers: { ...tokens, "x-idempotency-key": key(3) },
      json: labelBody(),
    });
    expect(trackingNumberOf(again)).toBe(number);
    const tracked = await ask(`${after.url}/tracking/v3/tracking/${number}?expand=DETAIL`, { headers: tokens });
    expect(tracked.body.statusCategory).toBe("Accepted");
    expect(
      trackingNumberOf(await ask(`${after.url}/labels/v3/label`, { headers: tokens, json: labelBody() })),
    ).not.toBe(number);
    expect(after.journal("buy")).toHaveLength(2);
  } finally {
    await after.close();
    await rm(folder, { recursive: true });
  }
});
