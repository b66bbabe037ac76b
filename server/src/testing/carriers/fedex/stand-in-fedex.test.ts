import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ask, textOf } from "../ask-stand-in.ts";
import {
  confirmBody,
  fedexFixture,
  fedexErrorCode,
  fedexPackage,
  fedexParty,
  fedexToken,
  openShipBody,
  rateBody,
  shipBody,
} from "./fedex-fixture.ts";
import { fedexPrice, fedexServices } from "./stand-in-fedex-prices.ts";
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

const rate = (shipment: object = {}, more: object = {}) =>
  fixture.post("/rate/v1/rates/quotes", rateBody(fedex, shipment, more));
const cancel = (trackingNumber: string, account = fedex.accountNumber) =>
  fixture.put("/ship/v1/shipments/cancel", {
    accountNumber: { value: account },
    trackingNumber,
    deletionControl: "DELETE_ALL_PACKAGES",
  });

describe("tokens", () => {
  test("wrong credentials are refused, right ones last 3,599 seconds", async () => {
    const form = { grant_type: "client_credentials", client_id: fedex.clientId, client_secret: "wrong" };
    const wrong = await ask(`${fedex.url}/oauth/token`, { form });
    expect([wrong.status, fedexErrorCode(wrong)]).toEqual([401, "NOT.AUTHORIZED.ERROR"]);
    fedex.inject("wrong_key");
    expect((await fedexToken(fedex, "ship")).status).toBe(401);
    const right = await fedexToken(fedex, "ship");
    expect(right.body).toMatchObject({ token_type: "bearer", expires_in: 3599, scope: "CXS-TP" });
    const noGrant = await ask(`${fedex.url}/oauth/token`, {
      form: { ...form, client_secret: "ship-secret", grant_type: "x" },
    });
    expect(noGrant.status).toBe(400);
    expect((await ask(`${fedex.url}/oauth/token`, { json: form })).status).toBe(415);
  });

  test("expired tokens are refused, and each project has its own operations", async () => {
    fedex.inject("expired_token", { operation: "rate" });
    expect((await rate()).status).toBe(401);
    await fixture.headers("ship");
    fedex.expireTokens();
    const expired = await rate();
    expect([expired.status, fedexErrorCode(expired)]).toEqual([401, "NOT.AUTHORIZED.ERROR"]);
    fixture.forgetTokens();
    expect((await rate()).status).toBe(200);
    const foreign = await fixture.send("POST", "/rate/v1/rates/quotes", rateBody(fedex), "track");
    expect([foreign.status, fedexErrorCode(foreign)]).toEqual([403, "FORBIDDEN.ERROR"]);
    expect((await fixture.send("POST", "/track/v1/trackingnumbers", {}, "ship")).status).toBe(403);
    fedex.inject("blocked");
    expect((await fedexToken(fedex, "ship")).status).toBe(403);
  });
});

describe("labels", () => {
  test("a purchase answers number, price and a PDF, and is in the journal with its reference", async () => {
    const sold = fedex.journal("buy").length;
    const bought = await fixture.buy();
    const piece = bought.pieceResponses![0]!;
    const price = fedexPrice(shipBody(fedex).requestedShipment as Parameters<typeof fedexPrice>[0], fedexServices[0]!);
    expect(textOf(bought.masterTrackingNumber)).toMatch(/^7949\d{8}$/);
    expect(piece).toMatchObject({
      trackingNumber: bought.masterTrackingNumber,
      netChargeAmount: 0,
      netRateAmount: price.byType.ACCOUNT.netCents / 100,
      packageDocuments: [{ contentType: "LABEL", docType: "PDF" }],
    });
    const rating = bought.completedShipmentDetail!.shipmentRating!;
    expect(rating).toMatchObject({
      actualRateType: "PAYOR_ACCOUNT_SHIPMENT",
      shipmentRateDetails: [
        { totalNetCharge: price.byType.ACCOUNT.netCents / 100 },
        { rateType: "PAYOR_LIST_SHIPMENT" },
      ],
    });
    const label = Buffer.from(textOf(piece.packageDocuments![0]!.encodedLabel), "base64").toString("latin1");
    expect(label).toContain(`(${textOf(bought.masterTrackingNumber)})`);
    // The table of the PDF says where its first object begins.
    const offset = Number(/\n(\d{10}) 00000 n /.exec(label)![1]);
    expect(label.slice(offset)).toMatch(/^1 0 obj/);
    expect(fedex.journal("buy")).toHaveLength(sold + 1);
    expect(fedex.journal("buy").at(-1)).toMatchObject({ references: ["key-1"] });
  });

  test("the same request again buys again; pieces have numbers of their own", async () => {
    const sold = fedex.journal("buy").length;
    const [one, other] = [await fixture.buy(), await fixture.buy()];
    expect(one.masterTrackingNumber).not.toBe(other.masterTrackingNumber);
    const many = await fixture.buy({
      requestedPackageLineItems: [fedexPackage("a"), fedexPackage("b", { groupPackageCount: 2 })],
    });
    const numbers = [...many.pieceResponses!].map(({ trackingNumber }) => textOf(trackingNumber));
    expect(new Set(numbers).size).toBe(3);
    expect(fedex.journal("buy")).toHaveLength(sold + 3);
  });

  test("a label by URL is fetched without the token", async () => {
    const labelSpecification = { imageType: "PNG", labelStockType: "STOCK_4X6" };
    const bought = await fixture.buy({ labelSpecification }, { labelResponseOptions: "URL_ONLY" });
    const { url, encodedLabel } = bought.pieceResponses![0]!.packageDocuments![0]!;
    expect(encodedLabel).toBeUndefined();
    const file = await fetch(textOf(url));
    expect(file.headers.get("content-type")).toBe("image/png");
    expect(
      Buffer.from(await file.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    const epl = await fixture.buy({ labelSpecification: { imageType: "EPL2", labelStockType: "STOCK_4X6" } });
    const commands = Buffer.from(
      textOf(epl.pieceResponses![0]!.packageDocuments![0]!.encodedLabel),
      "base64",
    ).toString();
    expect(commands).toMatch(/^N\n[\s\S]*P1\n$/);
    expect((await ask(textOf(url), { headers: await fixture.headers("ship") })).status).toBe(400);
    expect((await ask(textOf(url).replace(/SH,\d+/, "SH,1"))).status).toBe(404);
  });

  test("more than 40 pieces are a job", async () => {
    const pieces = { requestedPackageLineItems: [fedexPackage("bulk", { groupPackageCount: 41 })] };
    const refused = await fixture.post("/ship/v1/shipments", shipBody(fedex, pieces));
    expect(fedexErrorCode(refused)).toBe("PACKAGE.COUNT.EXCEEDED");
    const outer = { processingOptionType: "ALLOW_ASYNCHRONOUS" };
    const { body } = await fixture.post("/ship/v1/shipments", shipBody(fedex, pieces, outer));
    const job = { accountNumber: { value: fedex.accountNumber }, jobId: textOf(body.output!.jobId) };
    const results = await fixture.post("/ship/v1/shipments/results", job);
    expect(results.body.output!.transactionShipments![0]!.pieceResponses).toHaveLength(41);
    expect((await fixture.post("/ship/v1/shipments/results", { ...job, jobId: "other" })).status).toBe(404);
  });

  test.each<[string, object, object, string]>([
    ["another account", {}, { accountNumber: { value: "111111111" } }, "ACCOUNTNUMBER.REGISTRATION.REQUIRED"],
    ["no label options", {}, { labelResponseOptions: undefined }, "INVALID.INPUT.EXCEPTION"],
    ["a ZIP code of four digits", { recipients: [fedexParty("9000")] }, {}, "RECIPIENT.POSTALCODE.INVALID"],
    ["GIF", { labelSpecification: { imageType: "GIF", labelStockType: "STOCK_4X6" } }, {}, "INVALID.INPUT.EXCEPTION"],
    ["the field of a rate request", { shipDateStamp: "2026-03-16" }, {}, "INVALID.INPUT.EXCEPTION"],
    ["two recipients", { recipients: [fedexParty("90001"), fedexParty("90001")] }, {}, "INVALID.INPUT.EXCEPTION"],
    [
      "a street of 36 characters",
      { recipients: [fedexParty("90001", { streetLines: ["x".repeat(36)] })] },
      {},
      "INVALID.INPUT.EXCEPTION",
    ],
    [
      "a phone number of 11 digits",
      { recipients: [fedexParty("90001", {}, { phoneNumber: "97355512345" })] },
      {},
      "PHONENUMBER.INVALID",
    ],
    ["no name", { recipients: [fedexParty("90001", {}, { personName: undefined })] }, {}, "CONTACT.NAME.REQUIRED"],
    [
      "no state",
      { recipients: [fedexParty("90001", { stateOrProvinceCode: undefined })] },
      {},
      "STATEORPROVINCECODE.INVALID",
    ],
    [
      "Ground to a home",
      { recipients: [fedexParty("90001", { residential: true })] },
      {},
      "SERVICE.PACKAGECOMBINATION.INVALID",
    ],
    [
      "a third party without an account",
      { shippingChargesPayment: { paymentType: "THIRD_PARTY" } },
      {},
      "PAYOR.ACCOUNTNUMBER.MISSING",
    ],
    [
      "no customs abroad",
      {
        recipients: [fedexParty("M5C2M6", { countryCode: "CA", stateOrProvinceCode: "ON" })],
        serviceType: "INTERNATIONAL_ECONOMY",
      },
      {},
      "COMMODITIES.REQUIRED",
    ],
  ])("refuses %s", async (_what, shipment, more, code) => {
    const sold = fedex.journal("buy").length;
    const reply = await fixture.post("/ship/v1/shipments", shipBody(fedex, shipment, more));
    expect([reply.status, fedexErrorCode(reply)]).toEqual([400, code]);
    expect(fedex.journal("buy")).toHaveLength(sold);
  });

  test("a label is cancelled once, not after a scan, and not with another account", async () => {
    const number = await fixture.buyAs("cancel-1");
    expect(fedexErrorCode(await cancel(number, "111111111"))).toBe("SHIPMENT.USER.UNAUTHORIZED");
    expect((await cancel(number)).body.output).toMatchObject({ cancelledShipment: true, cancelledHistory: true });
    expect(fedexErrorCode(await cancel(number))).toBe("SHIPMENT.ALREADY.CANCELLED");
    expect(fedexErrorCode(await cancel("794900000000"))).toBe("TRACKINGNUMBER.ENTERED.INVALID");
    const scanned = await fixture.buyAs("cancel-2");
    fedex.scan(scanned, { at: "2026-03-16T18:00:00-04:00", eventType: "PU", description: "Picked up" });
    const late = await cancel(scanned);
    expect([late.status, late.body.output!.cancelledShipment]).toEqual([200, false]);
    fedex.inject("cancel_false_in_200");
    expect((await cancel(await fixture.buyAs("cancel-3"))).body.output!.cancelledShipment).toBe(false);
    expect(fedex.journal("void")).toHaveLength(1);
  });
});

describe("Open Ship", () => {
  const create = (index: string, more: object = {}) =>
    fixture.post("/ship/v1/openshipments/create", openShipBody(fedex, index, more));
  const confirm = (index: string) => fixture.post("/ship/v1/openshipments/", confirmBody(fedex, index));
  const retrieve = (index: string) =>
    fixture.post("/ship/v1/openshipments/retrieve", { accountNumber: { value: fedex.accountNumber }, index });

  test("a shipment under an index is bought by its confirmation, once", async () => {
    const sold = fedex.journal("buy").length;
    const created = await create("index-1");
    const number = textOf(created.body.output!.transactionShipments![0]!.masterTrackingNumber);
    expect(fedex.journal("buy")).toHaveLength(sold);
    expect(fedexErrorCode(await create("index-1"))).toBe("OPENSHIPMENT.INDEX.DUPLICATE");
    const confirmed = (await confirm("index-1")).body.output!.transactionShipments![0]!;
    expect(textOf(confirmed.masterTrackingNumber)).toBe(number);
    const label = Buffer.from(textOf(confirmed.pieceResponses![0]!.packageDocuments![0]!.encodedLabel), "base64");
    expect(label.toString()).toContain(`^FD${number}^FS`);
    expect(fedexErrorCode(await confirm("index-1"))).toBe("OPENSHIPMENT.ALREADY.CONFIRMED");
    expect(fedex.journal("buy")).toHaveLength(sold + 1);
    const found = (await retrieve("index-1")).body.output!.requestedShipment!;
    expect(textOf(found.masterTrackingId!.trackingNumber)).toBe(number);
    expect(found.serviceType).toBe("FEDEX_GROUND");
  });

  test("a confirmation whose answer is lost is found by the index", async () => {
    await create("index-2");
    fedex.inject("cut_after", { operation: "buy" });
    await expect(confirm("index-2")).rejects.toThrow("fetch failed");
    expect(fedex.journal("buy").filter(({ index }) => index === "index-2")).toHaveLength(1);
    expect((await retrieve("index-2")).status).toBe(200);
  });

  test("with the other answer to a second confirmation, it is the same shipment", async () => {
    const other = await startFedex({ now, repeatedConfirm: "same" });
    const atOther = fedexFixture(other);
    await atOther.post("/ship/v1/openshipments/create", openShipBody(other, "i"));
    const [first, second] = [
      await atOther.post("/ship/v1/openshipments", confirmBody(other, "i")),
      await atOther.post("/ship/v1/openshipments", confirmBody(other, "i")),
    ];
    await other.close();
    expect(second.body.output).toEqual(first.body.output);
    expect(other.journal("buy")).toHaveLength(1);
  });

  test("unknown and old indexes are refused, and what shipping refuses is refused too", async () => {
    expect(fedexErrorCode(await confirm("never"))).toBe("OPENSHIPMENT.INDEX.NOTFOUND");
    await create("old");
    const created = today;
    today = new Date(created.getTime() + 5 * 86_400_000);
    expect(fedexErrorCode(await retrieve("old"))).toBe("OPENSHIPMENT.INDEX.NOTFOUND");
    expect((await create("old")).status).toBe(200);
    today = created;
    expect(fedexErrorCode(await create("bad", { serviceType: "X" }))).toBe("SERVICE.PACKAGECOMBINATION.INVALID");
    const created2 = { ...openShipBody(fedex, "foreign"), accountNumber: { value: "1" } };
    expect((await fixture.post("/ship/v1/openshipments/create", created2)).status).toBe(400);
    const read = { accountNumber: { value: "1" }, index: "old" };
    expect(fedexErrorCode(await fixture.post("/ship/v1/openshipments/retrieve", read))).toBe(
      "SHIPMENT.USER.UNAUTHORIZED",
    );
    const foreign = { ...confirmBody(fedex, "old"), accountNumber: { value: "1" } };
    expect(fedexErrorCode(await fixture.post("/ship/v1/openshipments/", foreign))).toBe("SHIPMENT.USER.UNAUTHORIZED");
  });
});

test("faults of the connection have the form of FedEx", async () => {
  const ship = () => fixture.post("/ship/v1/shipments", shipBody(fedex));
  const sold = fedex.journal("buy").length;
  fedex.inject("rate_limit", { operation: "buy" });
  const limited = await ship();
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
  fedex.inject("rate_limit_without_header", { operation: "buy" });
  expect((await ship()).headers.get("retry-after")).toBeNull();
  fedex.inject("html", { operation: "buy" });
  expect((await ship()).text).toContain("<html>");
  fedex.inject("error_before", { operation: "buy" });
  const broken = await ship();
  expect([broken.status, fedexErrorCode(broken)]).toEqual([500, "INTERNAL.SERVER.ERROR"]);
  expect(fedex.journal("buy")).toHaveLength(sold);
  fedex.inject("error_after", { operation: "buy" });
  expect((await ship()).status).toBe(500);
  expect(fedex.journal("buy")).toHaveLength(sold + 1);
  expect(fedexErrorCode(await fixture.post("/ship/v2/shipments", {}))).toBe("NOT.FOUND.ERROR");
});

test("what was sold survives a restart on the same journal", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "stand-in-fedex-"));
  const journalFile = path.join(folder, "journal.jsonl");
  const before = await startFedex({ journalFile, now });
  const first = fedexFixture(before);
  const number = await first.buyAs("restart");
  await first.post("/ship/v1/openshipments/create", openShipBody(before, "restart"));
  before.scan(number, { at: "2026-03-16T18:00:00-04:00", eventType: "PU", description: "Picked up" });
  await before.close();
  const after = await startFedex({ journalFile, now });
  try {
    const second = fedexFixture(after);
    const tracked = (await second.track(number)).body.output!.completeTrackResults![0]!.trackResults![0]!;
    expect(tracked.latestStatusDetail!.code).toBe("PU");
    expect((await second.post("/ship/v1/openshipments/", confirmBody(after, "restart"))).status).toBe(200);
    expect(await second.buyAs("restart")).not.toBe(number);
    expect(after.journal("buy")).toHaveLength(3);
  } finally {
    await after.close();
    await rm(folder, { recursive: true });
  }
});
