import { expect, test } from "vitest";
import type { LabelRequest } from "../seam/carrier.ts";
import { uuidOf } from "../seam/keys.ts";
import { asObject } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lostAnswer } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer } from "../seam/testing/scripted-call.ts";
import { dock, reader, uspsCall, uspsFault, uspsLabelRequest, uspsParts } from "./usps-fixtures.ts";
import { usps } from "./usps.ts";

const sold = (): ScriptedAnswer => uspsParts("label.txt");
const key = uuidOf("label:0198c0de-0000-7000-8000-000000000001");
const isReprint = (path: string): boolean => path === "/labels/v3/label-reprint";

async function bodyFor(options: LabelRequest["options"], change: Partial<LabelRequest> = {}): Promise<Json> {
  const { call, requests } = uspsCall(sold);
  await usps.createLabel!(call, { ...uspsLabelRequest, ...change, options });
  return asObject(requests()[0]!.json);
}

test("a label is bought under an idempotency key with both tokens, and read from a multipart response", async () => {
  const { call, requests } = uspsCall(sold);
  const label = await usps.createLabel!(call, uspsLabelRequest);
  expect(requests()).toHaveLength(1);
  expect(requests()[0]).toMatchObject({
    method: "POST",
    url: "https://apis.usps.com/labels/v3/label",
    headers: {
      authorization: "Bearer token-1",
      "x-payment-authorization-token": "payment-1",
      "x-idempotency-key": key,
    },
  });
  expect(requests()[0]!.json).toEqual({
    imageInfo: { imageType: "PDF", labelType: "4X6LABEL", receiptOption: "NONE" },
    toAddress: {
      firstName: "Lee Ann",
      lastName: "Reader",
      streetAddress: "12 Main St",
      secondaryAddress: "Apt 4",
      city: "Albany",
      state: "NY",
      ZIPCode: "12207",
      ZIPPlus4: "1234",
      ignoreBadAddress: false,
    },
    fromAddress: {
      firstName: "Sam",
      lastName: "Shipper",
      firm: "Hub Goods",
      streetAddress: "1 Dock Road",
      city: "Newark",
      state: "NJ",
      ZIPCode: "07102",
      phone: "9735550100",
      ignoreBadAddress: true,
    },
    packageDescription: {
      weightUOM: "lb",
      dimensionsUOM: "in",
      weight: 2.5,
      length: 10,
      width: 5,
      height: 4,
      mailClass: "USPS_GROUND_ADVANTAGE",
      rateIndicator: "SP",
      processingCategory: "MACHINABLE",
      destinationEntryFacilityType: "NONE",
      mailingDate: "2026-03-03",
      customerReference: [{ referenceNumber: "ORDER-1001", printReferenceNumber: true }],
    },
  });
  expect(label).toEqual({
    service: "USPS_GROUND_ADVANTAGE",
    charge: {
      cents: 1585,
      currency: "USD",
      lines: [
        { code: "base", label: "Postage", cents: 840 },
        { code: "fee", label: "Nonstandard Length > 22", cents: 400 },
        { code: "DXSU0EXXXCX0000", label: "Signature Confirmation", cents: 345 },
      ],
    },
    parcels: [
      {
        trackingNumber: "9200190000000000000011",
        file: { contentType: "application/pdf", content: Buffer.from("%PDF-1.4\n") },
      },
    ],
    transitDays: 3,
    deliverBy: "2026-03-06",
  });
});

test("a label that comes as JSON is read too, and its price may be missing", async () => {
  const body = { labelMetadata: { trackingNumber: "92001", postage: "n/a" }, labelImage: "JVBERi0xLjQK" };
  expect(await usps.createLabel!(uspsCall(() => ({ status: 200, body })).call, uspsLabelRequest)).toMatchObject({
    charge: null,
    parcels: [{ trackingNumber: "92001", file: { contentType: "application/pdf" } }],
  });
});

test("a repeat sends the same key again, and USPS returns the label it sold", async () => {
  const first = uspsCall(lostAnswer);
  await expect(usps.createLabel!(first.call, uspsLabelRequest)).rejects.toMatchObject({ mayHaveHappened: true });
  const second = uspsCall(sold, { attempt: 2 });
  expect(await usps.createLabel!(second.call, uspsLabelRequest)).toMatchObject({
    parcels: [{ trackingNumber: "9200190000000000000011" }],
  });
  expect(second.requests()[0]!.headers["x-idempotency-key"]).toBe(first.requests()[0]!.headers["x-idempotency-key"]);
  expect(second.requests()[0]!.json).toEqual(first.requests()[0]!.json);
});

test("a repeat that is rejected finds the label by its key", async () => {
  const { call, requests } = uspsCall(
    ({ path }) => (isReprint(path) ? sold() : uspsFault("The key was used for another request.", "160411")),
    { attempt: 2 },
  );
  expect(await usps.createLabel!(call, uspsLabelRequest)).toMatchObject({
    parcels: [{ trackingNumber: "9200190000000000000011" }],
  });
  expect(requests().map(({ path }) => path)).toEqual(["/labels/v3/label", "/labels/v3/label-reprint"]);
  expect(requests()[1]).toMatchObject({
    headers: { "x-idempotency-key": key },
    json: { imageInfo: { imageType: "PDF", labelType: "4X6LABEL", receiptOption: "NONE" } },
  });
});

test("a repeat that is rejected stays rejected if USPS has no label under the key", async () => {
  const { call } = uspsCall(
    ({ path }) =>
      isReprint(path)
        ? uspsFault("Idempotency-Key not found", "160412")
        : uspsFault("The ZIP Code is invalid.", "020001"),
    { attempt: 2 },
  );
  await expect(usps.createLabel!(call, uspsLabelRequest)).rejects.toMatchObject({
    code: "rejected",
    mayHaveHappened: false,
    message: "USPS: The ZIP Code is invalid (020001)",
  });
});

test.each<[string, () => ScriptedAnswer, object]>([
  ["is refused", () => uspsFault("Reprint limit reached.", "160500"), { code: "outcome_unknown", retryable: false }],
  ["fails", () => ({ status: 503 }), { code: "remote_error", retryable: true }],
  ["gets no answer", lostAnswer, { code: "timeout", retryable: true }],
])("a rejected repeat whose look-up %s leaves the outcome open", async (_name, answers, expected) => {
  const { call } = uspsCall(({ path }) => (isReprint(path) ? answers() : uspsFault("Rejected.")), { attempt: 2 });
  await expect(usps.createLabel!(call, uspsLabelRequest)).rejects.toMatchObject({ ...expected, mayHaveHappened: true });
});

test.each<[string, () => ScriptedAnswer, object]>([
  ["a failure of USPS", () => ({ status: 500 }), { retryable: true, mayHaveHappened: true }],
  [
    "a success that cannot be read",
    () => ({ status: 200, headers: { "content-type": "multipart/form-data; boundary=b" }, body: "--b\r\n\r\n--b--" }),
    { code: "unexpected_response", retryable: true, mayHaveHappened: true },
  ],
  [
    "a success that is not JSON",
    () => ({ status: 200, body: "<html></html>" }),
    { code: "invalid_json", retryable: true, mayHaveHappened: true },
  ],
  [
    "a rejection",
    () => uspsFault("The ZIP Code is invalid.", "020001"),
    { code: "rejected", retryable: false, mayHaveHappened: false },
  ],
  [
    "too many requests",
    () => ({ status: 429, headers: { "retry-after": "60" } }),
    { code: "rate_limited", retryable: true, mayHaveHappened: false, retryAfterMs: 60_000 },
  ],
])("a first purchase that ends as %s reports whether it may have happened", async (_name, answers, expected) => {
  const { call, requests } = uspsCall(answers);
  await expect(usps.createLabel!(call, uspsLabelRequest)).rejects.toMatchObject(expected);
  expect(requests().some(({ path }) => isReprint(path))).toBe(false);
});

test("both tokens are replaced once when USPS refuses them", async () => {
  let refusals = 1;
  const { call, all } = uspsCall(() => (refusals-- > 0 ? uspsFault("Token expired.", "401", 401) : sold()));
  await usps.createLabel!(call, uspsLabelRequest);
  expect(all.map(({ path }) => path)).toEqual([
    "/oauth2/v3/token",
    "/payments/v3/payment-authorization",
    "/labels/v3/label",
    "/oauth2/v3/token",
    "/payments/v3/payment-authorization",
    "/labels/v3/label",
  ]);
});

test("ship options reach USPS: signature, insurance, packaging, format, extras", async () => {
  const body = await bodyFor(
    {
      signature: "adult_signature",
      insuredValue: { amount: 600, currency: "USD" },
      references: ["PO-7"],
      label: { format: "zpl" },
      extra: { carrierRelease: true, ignoreBadAddress: true },
    },
    {
      parcels: [{ ...uspsLabelRequest.parcels[0]!, weight: { value: 30, unit: "lb" }, packaging: "FB" }],
      service: "PRIORITY_MAIL",
    },
  );
  expect(body).toMatchObject({
    imageInfo: { imageType: "ZPL203DPI" },
    toAddress: { ignoreBadAddress: true },
    packageDescription: {
      weight: 30,
      rateIndicator: "FB",
      processingCategory: "NONSTANDARD",
      extraServices: [922, 931],
      packageOptions: { packageValue: 600 },
      customerReference: [{ referenceNumber: "ORDER-1001" }, { referenceNumber: "PO-7" }],
      carrierRelease: true,
    },
  });
});

test.each<[string, Partial<LabelRequest>, LabelRequest["options"], object]>([
  [
    "a parcel over a cubic foot",
    { parcels: [{ weight: { value: 1, unit: "lb" }, dimensions: { length: 20, width: 12, height: 10, unit: "in" } }] },
    {},
    { rateIndicator: "DR", processingCategory: "MACHINABLE" },
  ],
  [
    "a long parcel",
    { parcels: [{ weight: { value: 1, unit: "lb" }, dimensions: { length: 23, width: 2, height: 2, unit: "in" } }] },
    {},
    { rateIndicator: "SP", processingCategory: "NONSTANDARD" },
  ],
  [
    "Express",
    { service: "PRIORITY_MAIL_EXPRESS" },
    { signature: "signature", insuredValue: { amount: 50, currency: "USD" } },
    { rateIndicator: "PA", extraServices: [981, 925] },
  ],
  [
    "the quote that was chosen",
    { quote: { rateIndicator: "CP", processingCategory: "MACHINABLE" } },
    {},
    { rateIndicator: "CP" },
  ],
  [
    "the user's own words",
    { quote: { rateIndicator: "CP" } },
    { extra: { rateIndicator: "SP", processingCategory: "NONSTANDARD" } },
    { rateIndicator: "SP", processingCategory: "NONSTANDARD" },
  ],
  ["a cheap insured parcel", {}, { insuredValue: { amount: 500, currency: "USD" } }, { extraServices: [930] }],
])("%s is priced as USPS wants it", async (_name, change, options, expected) => {
  expect((await bodyFor(options, change)).packageDescription).toMatchObject(expected);
});

test("a return has its own address, and a military address gets a customs form", async () => {
  const { call, requests } = uspsCall(sold);
  await usps.createLabel!(call, { ...uspsLabelRequest, from: reader, to: dock, options: { isReturn: true } });
  expect(requests()[0]!.path).toBe("/labels/v3/return-label");
  const body = await bodyFor(
    {
      customs: {
        contents: "gift",
        nonDelivery: "abandon",
        exemption: "NOEEI 30.37(a)",
        items: [
          {
            description: "Shirt",
            quantity: 3,
            value: { amount: 19.99, currency: "USD" },
            weight: { value: 8, unit: "oz" },
            originCountryCode: "US",
          },
        ],
      },
    },
    { to: { ...reader, city: "APO", provinceCode: "AE", zip: "09012" } },
  );
  expect(body).toMatchObject({
    packageDescription: { packageOptions: { nonDeliveryOption: "ABANDON" } },
    customsForm: {
      customsContentType: "GIFT",
      AESITN: "NOEEI 30.37(a)",
      contents: [
        {
          itemDescription: "Shirt",
          itemQuantity: 3,
          itemTotalValue: 59.97,
          itemTotalWeight: 1.5,
          countryofOrigin: "US",
        },
      ],
    },
  });
});

const parcel = uspsLabelRequest.parcels[0]!;

test.each<[string, Partial<LabelRequest>, string]>([
  [
    "several parcels",
    { parcels: [parcel, parcel] },
    "USPS does not support several parcels in a shipment. Create a shipment for each parcel.",
  ],
  [
    "a shipment abroad",
    { to: { ...reader, countryCode: "CA" } },
    "USPS does not support international shipments with this account. Use an account of another carrier.",
  ],
  [
    "another payer",
    { options: { billTo: { party: "receiver", account: "1" } } },
    "USPS does not support billTo. USPS charges your own account.",
  ],
  [
    "Saturday delivery",
    { options: { saturdayDelivery: true } },
    "USPS does not support saturdayDelivery. USPS delivers on Saturdays anyway: leave it out.",
  ],
  [
    "insurance in euros",
    { options: { insuredValue: { amount: 5, currency: "EUR" } } },
    "USPS does not support insurance in EUR. Insure in USD.",
  ],
  [
    "a letter-size label",
    { options: { label: { size: "letter" } } },
    "USPS does not support labels of size letter. Use label.size 4x6.",
  ],
  [
    "a service without a mail class",
    { service: "Drone" },
    "USPS does not support the service Drone. Use USPS_GROUND_ADVANTAGE, PRIORITY_MAIL, PRIORITY_MAIL_EXPRESS, MEDIA_MAIL, LIBRARY_MAIL, BOUND_PRINTED_MATTER, PARCEL_SELECT, also as codes in your rate card.",
  ],
])("%s is refused before anything is sent", async (_name, change, message) => {
  const { call, all } = uspsCall(sold);
  await expect(usps.createLabel!(call, { ...uspsLabelRequest, ...change })).rejects.toMatchObject({
    code: "option_not_supported",
    message,
  });
  expect(all).toEqual([]);
});

test.each([
  ["USPS_GROUND_ADVANTAGE", "USPS_GROUND_ADVANTAGE"],
  ["USPS Ground Advantage®", "USPS_GROUND_ADVANTAGE"],
  ["ground-advantage", "USPS_GROUND_ADVANTAGE"],
  ["Priority", "PRIORITY_MAIL"],
  ["usps_priority_mail_express", "PRIORITY_MAIL_EXPRESS"],
  ["Media Mail", "MEDIA_MAIL"],
])("the service %s of a rate card is bought as %s", async (service, mailClass) => {
  const { call, requests } = uspsCall(sold);
  expect(await usps.createLabel!(call, { ...uspsLabelRequest, service })).toMatchObject({ service });
  expect(asObject(asObject(requests()[0]!.json).packageDescription).mailClass).toBe(mailClass);
});
