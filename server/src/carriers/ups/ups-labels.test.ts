import { expect, test } from "vitest";
import type { LabelRequest } from "../seam/carrier.ts";
import { asList, asObject } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lostAnswer } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { customer, labelRequest, upsCall, upsFault, upsFixture, warehouse } from "./ups-fixtures.ts";
import { upsReference } from "./ups-labels.ts";
import { ups } from "./ups.ts";

const sold = (): ScriptedAnswer => ({ status: 200, body: upsFixture("ship") });
const notFound = (): ScriptedAnswer =>
  upsFault("9801031", "The shipment for the reference number plus shipper number could not be found.");
const isRecovery = ({ path }: SentRequest): boolean => path === "/api/labels/v1903/recovery";
const key = upsReference("label:0198c0de-0000-7000-8000-000000000001");
const earlier = { sentAt: "2026-03-02T14:50:00.000Z" };

async function shipmentFor(options: LabelRequest["options"], change: Partial<LabelRequest> = {}): Promise<Json> {
  const { call, requests } = upsCall(sold);
  await ups.createLabel!(call, { ...labelRequest, ...change, options });
  return asObject(asObject(asObject(requests()[0]!.json).ShipmentRequest).Shipment);
}

test("a label is bought with the order's reference and the effect key, and the time is noted before", async () => {
  const { call, requests, notes } = upsCall((request) => {
    expect(notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z" }]);
    return request.method === "POST" ? sold() : { status: 500 };
  });
  const label = await ups.createLabel!(call, labelRequest);
  expect(requests().map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /api/shipments/v2409/ship"]);
  expect(requests()[0]!.json).toMatchObject({
    ShipmentRequest: {
      Request: { RequestOption: "nonvalidate", SubVersion: "2409" },
      Shipment: {
        Service: { Code: "03" },
        PaymentInformation: { ShipmentCharge: [{ Type: "01", BillShipper: { AccountNumber: "A1B2C3" } }] },
        ShipmentDate: "20260303",
        Package: [
          {
            Packaging: { Code: "02" },
            PackageWeight: { UnitOfMeasurement: { Code: "LBS" }, Weight: "2.5" },
            ReferenceNumber: [{ Value: "ORDER-1001" }, { Value: key }],
          },
        ],
      },
      LabelSpecification: { LabelImageFormat: { Code: "PNG" }, LabelStockSize: { Height: "6", Width: "4" } },
    },
  });
  expect(key).toMatch(/^[A-Z0-9]{30}$/);
  expect(label).toEqual({
    service: "03",
    charge: { cents: 981, currency: "USD", lines: [{ code: "375", label: "Fuel surcharge", cents: 141 }] },
    parcels: [
      {
        trackingNumber: "1ZA1B2C30300000001",
        file: { contentType: "image/gif", content: Buffer.from("R0lGODlhAQABAAAAACw=", "base64") },
      },
      {
        trackingNumber: "1ZA1B2C30300000002",
        file: { contentType: "application/zpl", content: Buffer.from("^XA^FDtwo^FS^XZ") },
      },
    ],
    documents: [{ kind: "customs", file: { contentType: "application/pdf", content: Buffer.from("%PDF-1.4\n") } }],
    carrierData: { shipmentId: "1ZA1B2C30300000001" },
  });
});

test("a repeat finds the label that was bought, and buys nothing", async () => {
  const { call, requests, notes } = upsCall(
    (request) => (isRecovery(request) ? { status: 200, body: upsFixture("recovery") } : sold()),
    { attempt: 2, noted: earlier },
  );
  expect(await ups.createLabel!(call, labelRequest)).toMatchObject({
    charge: null,
    parcels: [{ trackingNumber: "1ZA1B2C30300000001", file: { contentType: "image/gif" } }],
    carrierData: { shipmentId: "1ZA1B2C30300000001" },
  });
  expect(requests().map(({ json }) => json)).toEqual([
    {
      LabelRecoveryRequest: {
        Request: { SubVersion: "1903" },
        LabelSpecification: { LabelImageFormat: { Code: "PDF" }, LabelStockSize: { Height: "6", Width: "4" } },
        ReferenceValues: { ReferenceNumber: { Value: key }, ShipperNumber: "A1B2C3" },
      },
    },
  ]);
  expect(notes).toEqual([]);
});

test("a repeat buys if UPS does not know the reference", async () => {
  const { call, requests } = upsCall((request) => (isRecovery(request) ? notFound() : sold()), {
    attempt: 2,
    noted: earlier,
  });
  expect(await ups.createLabel!(call, labelRequest)).toMatchObject({ charge: { cents: 981 } });
  expect(requests().map(({ path }) => path)).toEqual(["/api/labels/v1903/recovery", "/api/shipments/v2409/ship"]);
});

test("a repeat does not buy while the earlier request may still be running at UPS", async () => {
  const { call, requests } = upsCall((request) => (isRecovery(request) ? notFound() : sold()), {
    attempt: 2,
    noted: { sentAt: "2026-03-02T14:59:30.000Z" },
  });
  await expect(ups.createLabel!(call, labelRequest)).rejects.toMatchObject({
    code: "in_progress",
    retryable: true,
    mayHaveHappened: true,
    retryAfterMs: 90_000,
  });
  expect(requests().filter((request) => !isRecovery(request))).toEqual([]);
});

test.each([
  ["no answer", lostAnswer, { code: "timeout", retryable: true, mayHaveHappened: true }],
  ["a failure of UPS", () => ({ status: 500 }), { code: "remote_error", retryable: true, mayHaveHappened: true }],
  [
    "a refusal",
    () => upsFault("9801001", "Not allowed."),
    { code: "outcome_unknown", retryable: false, mayHaveHappened: true },
  ],
  ["no permission", () => ({ status: 403 }), { code: "outcome_unknown", mayHaveHappened: true }],
  ["an empty success", () => ({ status: 200, body: {} }), { code: "unexpected_response", mayHaveHappened: true }],
])("a repeat whose look-up gets %s buys nothing and leaves the outcome open", async (_name, answers, expected) => {
  const { call, requests } = upsCall((request) => (isRecovery(request) ? answers() : sold()), {
    attempt: 2,
    noted: earlier,
  });
  await expect(ups.createLabel!(call, labelRequest)).rejects.toMatchObject(expected);
  expect(requests().every(isRecovery)).toBe(true);
});

test.each([
  ["lost", lostAnswer, { mayHaveHappened: true }],
  ["5xx with HTML", () => ({ status: 503, body: "<html></html>" }), { retryable: true, mayHaveHappened: true }],
  [
    "success without tracking number",
    () => ({ status: 200, body: { ShipmentResponse: {} } }),
    { code: "unexpected_response", retryable: true, mayHaveHappened: true },
  ],
  [
    "success that is not JSON",
    () => ({ status: 200, body: "<html></html>" }),
    { code: "invalid_json", retryable: true, mayHaveHappened: true },
  ],
  [
    "rejection",
    () => upsFault("120100", "Missing or invalid shipper number"),
    {
      code: "rejected",
      retryable: false,
      mayHaveHappened: false,
      message: "UPS: Missing or invalid shipper number (120100)",
    },
  ],
  ["too many requests", () => ({ status: 429 }), { code: "rate_limited", retryable: true, mayHaveHappened: false }],
])("a purchase that ends as %s reports whether it may have happened", async (_name, answers, expected) => {
  const { call } = upsCall(answers);
  await expect(ups.createLabel!(call, labelRequest)).rejects.toMatchObject(expected);
});

test("a label is kept although its price or its file cannot be read", async () => {
  const results = {
    ShipmentIdentificationNumber: "1ZA1B2C30300000009",
    ShipmentCharges: { TotalCharges: { CurrencyCode: "USD", MonetaryValue: "n/a" } },
    PackageResults: { TrackingNumber: "1ZA1B2C30300000009", ShippingLabel: {} },
  };
  const { call } = upsCall(() => ({ status: 200, body: { ShipmentResponse: { ShipmentResults: results } } }));
  expect(await ups.createLabel!(call, labelRequest)).toMatchObject({
    charge: null,
    parcels: [{ trackingNumber: "1ZA1B2C30300000009", file: null }],
  });
});

test("ship options reach UPS: residential, signature, Saturday, declared value, extras", async () => {
  const shipment = await shipmentFor({
    residential: true,
    signature: "adult_signature",
    saturdayDelivery: true,
    insuredValue: { amount: 120.5, currency: "USD" },
    extra: { additionalHandling: true, directDelivery: true, carbonNeutral: true, shipperRelease: true },
  });
  expect(asObject(asObject(shipment.ShipTo).Address).ResidentialAddressIndicator).toBe("");
  expect(shipment.ShipmentServiceOptions).toEqual({
    SaturdayDeliveryIndicator: "",
    DirectDeliveryOnlyIndicator: "",
    UPScarbonneutralIndicator: "",
  });
  expect(asList(shipment.Package)[0]).toMatchObject({
    AdditionalHandlingIndicator: "",
    PackageServiceOptions: {
      DeclaredValue: { CurrencyCode: "USD", MonetaryValue: "120.50" },
      DeliveryConfirmation: { DCISType: "3" },
      ShipperReleaseIndicator: "",
    },
  });
});

test("parcels have their own reference and declared value; the rest of the value is shared", async () => {
  const [parcel] = labelRequest.parcels;
  const parcels = [{ ...parcel!, reference: "BOX-1", insuredValue: { amount: 10, currency: "USD" } }, parcel!, parcel!];
  const shipment = await shipmentFor({ insuredValue: { amount: 100.01, currency: "USD" } }, { parcels });
  const packages = asList(shipment.Package);
  expect(packages.map((one) => asList(one.ReferenceNumber)[0])).toEqual([
    { Value: "BOX-1" },
    { Value: "ORDER-1001" },
    { Value: "ORDER-1001" },
  ]);
  const values = packages.map((one) => asObject(asObject(one.PackageServiceOptions).DeclaredValue).MonetaryValue);
  expect(values).toEqual(["10.00", "45.01", "45.00"]);
});

test("the receiver or a third party can be billed", async () => {
  const receiver = await shipmentFor({ billTo: { party: "receiver", account: "R4R4R4", zip: "12207" } });
  expect(receiver.PaymentInformation).toEqual({
    ShipmentCharge: [{ Type: "01", BillReceiver: { AccountNumber: "R4R4R4", Address: { PostalCode: "12207" } } }],
  });
  const other = await shipmentFor({
    billTo: { party: "third_party", account: "T5T5T5", zip: "60601", countryCode: "US" },
  });
  expect(other.PaymentInformation).toEqual({
    ShipmentCharge: [
      { Type: "01", BillThirdParty: { AccountNumber: "T5T5T5", Address: { PostalCode: "60601", CountryCode: "US" } } },
    ],
  });
});

test("a return is billed to the shop that receives it", async () => {
  const shipment = await shipmentFor({ isReturn: true }, { from: customer, to: warehouse });
  expect(shipment).toMatchObject({
    Description: "Merchandise",
    ReturnService: { Code: "9" },
    Shipper: { Name: "Hub Goods", ShipperNumber: "A1B2C3" },
    ShipFrom: { Name: "Lee Reader" },
    ShipTo: { Name: "Hub Goods" },
    Package: [{ Description: "Merchandise" }],
  });
});

test("customs become an invoice, references and signature move to the shipment, duties are prepaid for DDP", async () => {
  const to = { ...customer, countryCode: "CA", provinceCode: "ON", zip: "M5V 3A8" };
  const shipment = await shipmentFor(
    {
      signature: "signature",
      customs: {
        contents: "gift",
        incoterm: "DDP",
        signer: "Ann Export",
        exemption: "NOEEI 30.37(a)",
        taxIds: [
          { type: "EORI", number: "GB123", countryCode: "GB" },
          { type: "EIN", number: "98-7", countryCode: "US", party: "receiver" },
        ],
        items: [
          {
            description: "Cotton shirt, blue, size M, with a very long name",
            quantity: 2,
            value: { amount: 19.5, currency: "USD" },
            weight: { value: 8, unit: "oz" },
            hsCode: "610510",
            originCountryCode: "PT",
          },
        ],
      },
    },
    { to },
  );
  expect(shipment).toMatchObject({
    Shipper: { AttentionName: "Ann Export" },
    ReferenceNumber: [{ Value: "ORDER-1001" }, { Value: key }],
    InvoiceLineTotal: { CurrencyCode: "USD", MonetaryValue: "39" },
    PaymentInformation: { ShipmentCharge: [{ Type: "01" }, { Type: "02", BillShipper: { AccountNumber: "A1B2C3" } }] },
    GlobalTaxInformation: {
      AgentTaxIdentificationNumber: [
        {
          AgentRole: "20",
          TaxIdentificationNumber: [
            { IdentificationNumber: "GB123", IDNumberPurposeCode: "02", IDNumberTypeCode: "0002" },
          ],
        },
        { AgentRole: "30", TaxIdentificationNumber: [{ IdentificationNumber: "98-7", IDNumberTypeCode: "1002" }] },
      ],
    },
    ShipmentServiceOptions: {
      DeliveryConfirmation: { DCISType: "1" },
      InternationalForms: {
        FormType: ["01"],
        InvoiceNumber: "ORDER-1001",
        InvoiceDate: "20260303",
        TermsOfShipment: "DDP",
        ReasonForExport: "GIFT",
        Comments: "NOEEI 30.37(a)",
        CurrencyCode: "USD",
        Contacts: { SoldTo: { Name: "Lee Reader" } },
        Product: [
          {
            Description: ["Cotton shirt, blue, size M, with a ", "very long name"],
            Unit: { Number: "2", UnitOfMeasurement: { Code: "PCS" }, Value: "19.50" },
            CommodityCode: "610510",
            OriginCountryCode: "PT",
          },
        ],
      },
    },
  });
  expect(asList(shipment.Package)[0]).not.toHaveProperty("ReferenceNumber");
});

test.each<[string, LabelRequest["options"], string]>([
  [
    "a PDF label",
    { label: { format: "pdf" } },
    "UPS does not support labels as pdf. Use label.format png or zpl or gif.",
  ],
  ["an A4 label", { label: { size: "a4" } }, "UPS does not support labels of size a4. Use label.size 4x6."],
  [
    "a signature on a return",
    { isReturn: true, signature: "signature" },
    "UPS does not support signatures on returns. Leave out signature or isReturn.",
  ],
  [
    "a third party without a country",
    { billTo: { party: "third_party", account: "T5T5T5" } },
    "UPS does not support billTo without a country. Set billTo.countryCode to that of the account.",
  ],
])("%s is refused before anything is sent", async (_name, options, message) => {
  const { call, requests } = upsCall(sold);
  await expect(ups.createLabel!(call, { ...labelRequest, options })).rejects.toMatchObject({
    code: "option_not_supported",
    message,
  });
  expect(requests()).toEqual([]);
});

test("a street that does not fit on the label is refused, not cut", async () => {
  const { call, requests } = upsCall(sold);
  const to = {
    ...customer,
    address1: "Building 7, Entrance 12, Industrial Park of the Northern Harbor District",
    address2: "Second floor, left wing, office of the harbor master and his deputy",
  };
  await expect(ups.createLabel!(call, { ...labelRequest, to })).rejects.toMatchObject({
    message: "The street of the recipient's address is too long: UPS prints 3 lines of 35 characters.",
  });
  expect(requests()).toEqual([]);
});

test.each([
  [
    "success",
    {
      status: 200,
      body: { VoidShipmentResponse: { SummaryResult: { Status: { Code: "1", Description: "Voided" } } } },
    },
    { state: "voided" },
  ],
  ["a second void", upsFault("190117", "The shipment has been voided."), { state: "voided" }],
  [
    "a void after its time",
    upsFault("190102", "Time for voiding has expired."),
    { state: "rejected", message: "UPS: Time for voiding has expired. (190102)" },
  ],
  [
    "a status that is no success",
    {
      status: 200,
      body: { VoidShipmentResponse: { SummaryResult: { Status: { Code: "0", Description: "Not voided" } } } },
    },
    { state: "rejected", message: "UPS: Not voided" },
  ],
])("voiding: %s", async (_name, answer, expected) => {
  const { call, requests } = upsCall(() => answer);
  const label = {
    trackingNumber: "1Z2",
    trackingNumbers: ["1Z2"],
    service: "03",
    purchasedAt: "",
    carrierData: { shipmentId: "1Z1" },
  };
  expect(await ups.voidLabel!(call, label)).toEqual(expected);
  expect(requests().map(({ method, path }) => `${method} ${path}`)).toEqual([
    "DELETE /api/shipments/v2409/void/cancel/1Z1",
  ]);
});

test("a void that UPS cannot answer is thrown, not taken for a refusal", async () => {
  const label = { trackingNumber: "1Z2", trackingNumbers: ["1Z2"], service: "03", purchasedAt: "", carrierData: null };
  await expect(ups.voidLabel!(upsCall(() => ({ status: 503 })).call, label)).rejects.toMatchObject({ retryable: true });
  await expect(ups.voidLabel!(upsCall(() => ({ status: 200, body: {} })).call, label)).rejects.toMatchObject({
    retryable: true,
  });
});
