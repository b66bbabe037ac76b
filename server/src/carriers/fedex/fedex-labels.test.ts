import { expect, test } from "vitest";
import type { LabelRequest } from "../seam/carrier.ts";
import { shortKey } from "../seam/keys.ts";
import { asList, asObject } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lostAnswer } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { buyer, fedexCall, fedexFault, fedexFixture, fedexLabelRequest, shop } from "./fedex-fixtures.ts";
import { fedex } from "./fedex.ts";

const sold = (): ScriptedAnswer => ({ status: 200, body: fedexFixture("ship") });
const key = shortKey("label:0198c0de-0000-7000-8000-000000000001", 20);
const noted = { sentAt: "2026-03-02T14:50:00.000Z", cancelled: [] };
const found = (...numbers: [string, string?][]): ScriptedAnswer => ({
  status: 200,
  body: {
    output: {
      completeTrackResults: numbers.map(([trackingNumber, code = "OC"]) => ({
        trackResults: [{ trackingNumberInfo: { trackingNumber }, latestStatusDetail: { code } }],
      })),
    },
  },
});
const cancelled = { status: 200, body: { output: { cancelledShipment: true } } };
const paths = (requests: SentRequest[]): string[] => requests.map(({ method, path }) => `${method} ${path}`);

/** Answers by path: look-up, cancellation, purchase. */
function script(lookUp: () => ScriptedAnswer, cancel: () => ScriptedAnswer = () => cancelled) {
  return (request: SentRequest): ScriptedAnswer => {
    if (request.path === "/track/v1/referencenumbers") return lookUp();
    return request.path === "/ship/v1/shipments/cancel" ? cancel() : sold();
  };
}

async function shipmentFor(options: LabelRequest["options"], change: Partial<LabelRequest> = {}): Promise<Json> {
  const { call, requests } = fedexCall(sold);
  await fedex.createLabel!(call, { ...fedexLabelRequest, ...change, options });
  return asObject(asObject(requests()[0]!.json).requestedShipment);
}

test("a label is bought with the order's reference and the effect key, and the time is noted before", async () => {
  const { call, requests, notes } = fedexCall(() => {
    expect(notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z", cancelled: [] }]);
    return sold();
  });
  const label = await fedex.createLabel!(call, fedexLabelRequest);
  expect(paths(requests())).toEqual(["POST /ship/v1/shipments"]);
  expect(requests()[0]!.json).toMatchObject({
    labelResponseOptions: "LABEL",
    accountNumber: { value: "123456789" },
    shipAction: "CONFIRM",
    processingOptionType: "SYNCHRONOUS_ONLY",
    requestedShipment: {
      serviceType: "FEDEX_GROUND",
      shipDatestamp: "2026-03-03",
      shipper: {
        address: { streetLines: ["1 Dock Road"], residential: false },
        contact: { personName: "Sam Shipper", companyName: "Hub Goods", phoneNumber: "9735550100" },
      },
      recipients: [{ address: { residential: true, postalCode: "12207-1234" } }],
      totalPackageCount: 1,
      totalWeight: 2.5,
      shippingChargesPayment: {
        paymentType: "SENDER",
        payor: { responsibleParty: { accountNumber: { value: "123456789" } } },
      },
      labelSpecification: { imageType: "PDF", labelStockType: "PAPER_4X6" },
      requestedPackageLineItems: [
        {
          weight: { units: "LB", value: 2.5 },
          customerReferences: [
            { customerReferenceType: "CUSTOMER_REFERENCE", value: "ORDER-1001" },
            { customerReferenceType: "P_O_NUMBER", value: key },
          ],
        },
      ],
    },
  });
  expect(label).toEqual({
    service: "FEDEX_GROUND",
    charge: {
      cents: 1870,
      currency: "USD",
      lines: [
        { code: "base", label: "Base price", cents: 2000 },
        { code: "discount", label: "Discount", cents: -450 },
        { code: "FUEL", label: "Fuel", cents: 320 },
      ],
    },
    parcels: [
      { trackingNumber: "700000000011", file: { contentType: "application/pdf", content: Buffer.from("%PDF-1.4\n") } },
      {
        trackingNumber: "700000000022",
        file: { contentType: "application/zpl", content: Buffer.from("^XA^FDtwo^FS^XZ") },
      },
    ],
    documents: [{ kind: "customs", file: { contentType: "application/pdf", content: Buffer.from("%PDF-1.5\n") } }],
    transitDays: 3,
    deliverBy: "2026-03-06",
    carrierData: { masterTrackingNumber: "700000000011" },
  });
});

test("a repeat cancels the shipment that it finds, since its label cannot be printed, and buys again", async () => {
  const { call, requests, notes } = fedexCall(
    script(() => found(["700000000008"])),
    { attempt: 2, noted },
  );
  expect(await fedex.createLabel!(call, fedexLabelRequest)).toMatchObject({ charge: { cents: 1870 } });
  expect(paths(requests())).toEqual([
    "POST /track/v1/referencenumbers",
    "PUT /ship/v1/shipments/cancel",
    "POST /ship/v1/shipments",
  ]);
  expect(requests()[0]!.json).toEqual({
    includeDetailedScans: false,
    referencesInformation: {
      type: "PURCHASE_ORDER",
      value: key,
      accountNumber: "123456789",
      shipDateBegin: "2026-03-01",
      shipDateEndDate: "2026-03-05",
    },
  });
  expect(requests()[1]!.json).toEqual({
    accountNumber: { value: "123456789" },
    deletionControl: "DELETE_ALL_PACKAGES",
    trackingNumber: "700000000008",
  });
  expect(notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z", cancelled: ["700000000008"] }]);
});

test("a shipment that an earlier repeat cancelled does not count as found", async () => {
  const { call, requests } = fedexCall(
    script(() => found(["700000000008"], ["700000000009", "CA"])),
    {
      attempt: 3,
      noted: { ...noted, cancelled: ["700000000008"] },
    },
  );
  await expect(fedex.createLabel!(call, fedexLabelRequest)).rejects.toMatchObject({
    code: "outcome_unknown",
    mayHaveHappened: true,
  });
  expect(paths(requests())).toEqual(["POST /track/v1/referencenumbers"]);
});

test.each<[string, () => ScriptedAnswer, object]>([
  ["finds nothing", () => found(), { code: "outcome_unknown", retryable: false }],
  [
    "finds nothing and says so",
    () => fedexFault("TRACKING.REFERENCENUMBER.NOTFOUND", "Not found."),
    { code: "outcome_unknown" },
  ],
  ["is not permitted", () => fedexFault("FORBIDDEN.ERROR", "Not authorized.", 403), { code: "outcome_unknown" }],
  ["fails", () => ({ status: 503 }), { code: "remote_error", retryable: true }],
  ["gets no answer", lostAnswer, { code: "timeout", retryable: true }],
])("a repeat whose look-up %s buys nothing and leaves the outcome open", async (_name, lookUp, expected) => {
  const { call, requests } = fedexCall(script(lookUp), { attempt: 2, noted });
  await expect(fedex.createLabel!(call, fedexLabelRequest)).rejects.toMatchObject({
    ...expected,
    mayHaveHappened: true,
  });
  expect(paths(requests())).toEqual(["POST /track/v1/referencenumbers"]);
});

test("a repeat waits while the earlier request may still be running at FedEx", async () => {
  const { call } = fedexCall(
    script(() => found()),
    { attempt: 2, noted: { sentAt: "2026-03-02T14:59:30.000Z" } },
  );
  await expect(fedex.createLabel!(call, fedexLabelRequest)).rejects.toMatchObject({
    code: "in_progress",
    retryAfterMs: 90_000,
  });
});

test("a repeat buys nothing if the earlier shipment cannot be cancelled", async () => {
  const refuse = (): ScriptedAnswer => fedexFault("SHIPMENT.CANCEL.ERROR", "The shipment was picked up.");
  const { call, requests } = fedexCall(
    script(() => found(["700000000008"]), refuse),
    { attempt: 2, noted },
  );
  await expect(fedex.createLabel!(call, fedexLabelRequest)).rejects.toMatchObject({
    code: "outcome_unknown",
    mayHaveHappened: true,
  });
  expect(paths(requests())).not.toContain("POST /ship/v1/shipments");
});

test("a repeat buys at once if the earlier attempt ended before anything was sent", async () => {
  const { call, requests } = fedexCall(sold, { attempt: 2, noted: null });
  await fedex.createLabel!(call, fedexLabelRequest);
  expect(paths(requests())).toEqual(["POST /ship/v1/shipments"]);
});

test.each([
  ["lost", lostAnswer, { mayHaveHappened: true }],
  [
    "a failure of FedEx",
    () => fedexFault("INTERNAL.SERVER.ERROR", "We encountered an error.", 500),
    { retryable: true, mayHaveHappened: true },
  ],
  [
    "a success without labels",
    () => ({ status: 200, body: { output: { jobId: "j1" } } }),
    { code: "unexpected_response", retryable: true, mayHaveHappened: true },
  ],
  [
    "a rejection inside of a success",
    () => ({ status: 200, body: { errors: [{ code: "SHIP.X", message: "No." }] } }),
    { code: "rejected", mayHaveHappened: false },
  ],
  [
    "a rejection",
    () => fedexFault("ACCOUNTNUMBER.REGISTRATION.REQUIRED", "Please enter a valid account number"),
    { code: "rejected", retryable: false, mayHaveHappened: false },
  ],
])("a purchase that ends as %s reports whether it may have happened", async (_name, answers, expected) => {
  await expect(fedex.createLabel!(fedexCall(answers).call, fedexLabelRequest)).rejects.toMatchObject(expected);
});

test("the price is the sum of the parcels if FedEx rates no shipment, and null if it cannot be read", async () => {
  const piece = (netChargeAmount: unknown) => ({ trackingNumber: "7", netChargeAmount, currency: "USD" });
  const answer =
    (...amounts: unknown[]) =>
    () => ({
      status: 200,
      body: { output: { transactionShipments: [{ masterTrackingNumber: "7", pieceResponses: amounts.map(piece) }] } },
    });
  expect(await fedex.createLabel!(fedexCall(answer(10.1, "2.25")).call, fedexLabelRequest)).toMatchObject({
    charge: { cents: 1235, currency: "USD" },
    parcels: [{ file: null }, { file: null }],
  });
  expect(await fedex.createLabel!(fedexCall(answer("?")).call, fedexLabelRequest)).toMatchObject({ charge: null });
});

test("ship options reach FedEx: signature, Saturday, declared value, references, home delivery, label", async () => {
  const shipment = await shipmentFor({
    signature: "adult_signature",
    saturdayDelivery: true,
    insuredValue: { amount: 120.5, currency: "USD" },
    references: ["PO-7"],
    label: { format: "zpl" },
    extra: { homeDelivery: "DATE_CERTAIN", homeDeliveryDate: "2026-03-07" },
  });
  expect(shipment).toMatchObject({
    shipmentSpecialServices: {
      specialServiceTypes: ["SATURDAY_DELIVERY", "HOME_DELIVERY_PREMIUM"],
      homeDeliveryPremiumDetail: { homedeliveryPremiumType: "DATE_CERTAIN", deliveryDate: "2026-03-07" },
    },
    labelSpecification: { imageType: "ZPLII", labelStockType: "STOCK_4X6" },
    requestedPackageLineItems: [
      {
        declaredValue: { amount: 120.5, currency: "USD" },
        customerReferences: [
          { value: "ORDER-1001" },
          { customerReferenceType: "INVOICE_NUMBER", value: "PO-7" },
          { value: key },
        ],
        packageSpecialServices: { specialServiceTypes: ["SIGNATURE_OPTION"], signatureOptionType: "ADULT" },
      },
    ],
  });
});

test.each<[LabelRequest["options"], string]>([
  [{ signature: "none" }, "NO_SIGNATURE_REQUIRED"],
  [{ signature: "signature" }, "DIRECT"],
  [{ signature: "signature", extra: { indirectSignature: true } }, "INDIRECT"],
])("signature %j is %s", async (options, expected) => {
  const [line] = asList((await shipmentFor(options)).requestedPackageLineItems);
  expect(asObject(line!.packageSpecialServices).signatureOptionType).toBe(expected);
});

test("the receiver or a third party can be billed, and returns are marked", async () => {
  expect(
    (await shipmentFor({ billTo: { party: "receiver", account: "987654321", zip: "12207" } })).shippingChargesPayment,
  ).toEqual({
    paymentType: "RECIPIENT",
    payor: {
      responsibleParty: { accountNumber: { value: "987654321" }, address: { countryCode: "US", postalCode: "12207" } },
    },
  });
  expect(
    (await shipmentFor({ billTo: { party: "third_party", account: "987654321" } })).shippingChargesPayment,
  ).toMatchObject({ paymentType: "THIRD_PARTY" });
  expect((await shipmentFor({ isReturn: true }, { from: buyer, to: shop })).shipmentSpecialServices).toEqual({
    specialServiceTypes: ["RETURN_SHIPMENT"],
    returnShipmentDetail: { returnType: "PRINT_RETURN_LABEL" },
  });
});

test("customs reach FedEx with an invoice, prepaid duties for DDP and tax numbers", async () => {
  const shipment = await shipmentFor(
    {
      customs: {
        contents: "merchandise",
        incoterm: "DDP",
        exemption: "NO EEI 30.37(a)",
        signer: "Ann Export",
        taxIds: [{ type: "EIN", number: "98-7", countryCode: "US" }],
        items: [
          {
            description: "Shirt",
            quantity: 3,
            value: { amount: 19.99, currency: "USD" },
            weight: { value: 8, unit: "oz" },
            hsCode: "610510",
          },
        ],
      },
    },
    {
      to: { ...buyer, countryCode: "CA", provinceCode: "ON", zip: "M5V 3A8" },
      service: "FEDEX_INTERNATIONAL_PRIORITY",
    },
  );
  expect(shipment).toMatchObject({
    shipper: { tins: [{ number: "98-7", tinType: "FEDERAL", usage: "EIN" }] },
    recipients: [{ address: { postalCode: "M5V3A8" } }],
    customsClearanceDetail: {
      isDocumentOnly: false,
      commercialInvoice: { shipmentPurpose: "SOLD", termsOfSale: "DDP", originatorName: "Ann Export" },
      dutiesPayment: { paymentType: "SENDER" },
      exportDetail: { exportComplianceStatement: "NO EEI 30.37(a)" },
      totalCustomsValue: { amount: 59.97, currency: "USD" },
      commodities: [
        {
          description: "Shirt",
          quantity: 3,
          weight: { units: "LB", value: 1.5 },
          unitPrice: { amount: 19.99 },
          customsValue: { amount: 59.97 },
          countryOfManufacture: "US",
          harmonizedCode: "610510",
        },
      ],
    },
    shippingDocumentSpecification: { shippingDocumentTypes: ["COMMERCIAL_INVOICE"] },
  });
});

test.each<[string, LabelRequest["options"], string]>([
  ["an A4 label", { label: { size: "a4" } }, "FedEx does not support labels of size a4. Use label.size 4x6 or letter."],
])("%s is refused before anything is sent", async (_name, options, message) => {
  const { call, requests } = fedexCall(sold);
  await expect(fedex.createLabel!(call, { ...fedexLabelRequest, options })).rejects.toMatchObject({
    code: "option_not_supported",
    message,
  });
  expect(requests()).toEqual([]);
});

const label = {
  trackingNumber: "700000000022",
  trackingNumbers: ["700000000022"],
  service: "FEDEX_GROUND",
  purchasedAt: "",
  carrierData: { masterTrackingNumber: "700000000011" },
};

test.each<[string, ScriptedAnswer, object]>([
  ["success", cancelled, { state: "voided" }],
  ["a second void", fedexFault("SHIPMENT.ALREADY.CANCELLED", "Shipment is already cancelled."), { state: "voided" }],
  [
    "a refusal",
    fedexFault("SHIPMENT.CANCEL.ERROR", "The shipment was picked up."),
    { state: "rejected", message: "FedEx: The shipment was picked up. (SHIPMENT.CANCEL.ERROR)" },
  ],
  [
    "a refusal inside of a success",
    { status: 200, body: { output: { cancelledShipment: false, message: "Not cancelled" } } },
    { state: "rejected", message: "FedEx: Not cancelled" },
  ],
])("voiding: %s", async (_name, answer, expected) => {
  const { call, requests } = fedexCall(() => answer);
  expect(await fedex.voidLabel!(call, label)).toEqual(expected);
  expect(requests()[0]).toMatchObject({
    method: "PUT",
    path: "/ship/v1/shipments/cancel",
    json: { trackingNumber: "700000000011" },
  });
});

test.each([[503], [429], [403]])(
  "a void that FedEx answers with %i is thrown, not taken for a refusal",
  async (status) => {
    const { call } = fedexCall(() => fedexFault("SOME.ERROR", "Later.", status));
    await expect(fedex.voidLabel!(call, label)).rejects.toMatchObject({ retryable: status !== 403 });
  },
);
