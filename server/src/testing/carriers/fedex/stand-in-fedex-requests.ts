import { OneOf, optional, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Matching, Text, unread, words } from "../request-rules.ts";

// Names, types and lists of values are those of the OpenAPI documents, lengths those of their descriptions. A rate request has
// `shipDateStamp`, a shipment `shipDatestamp`: fields that a document does not have are refused, so that such slips are noticed.

export const AccountNumber = Strict({ value: Type.String() });
export const Day = Matching("^\\d{4}-\\d{2}-\\d{2}$");
const Money = Strict({ amount: Type.Number({ minimum: 0 }), currency: Text(3, 3) });
export const Weight = Strict({ units: OneOf(["KG", "LB"]), value: Type.Number() });
const Dimensions = Strict({
  length: Type.Integer({ minimum: 0 }),
  width: Type.Integer({ minimum: 0 }),
  height: Type.Integer({ minimum: 0 }),
  units: OneOf(["CM", "IN"]),
});
export const place = {
  city: Text(0, 35),
  stateOrProvinceCode: Text(0, 2),
  postalCode: Text(0, 10),
  countryCode: Matching("^[A-Z]{2}$"),
  residential: Type.Boolean(),
};
export const streetLines = Type.Array(Text(1, 35), { minItems: 1 });
const RateParty = Strict({ address: Strict(optional(place)) });
const PartyAddress = Strict({ ...optional(place), streetLines, countryCode: place.countryCode, city: Text(1, 35) });
export const Contact = Strict({
  ...optional({
    personName: Text(1, 70),
    companyName: Text(1, 35),
    emailAddress: Text(0, 80),
    phoneExtension: Text(0, 6),
  }),
  phoneNumber: Text(10, 15),
});
const Party = Strict({ address: PartyAddress, contact: Contact, ...unread("tins", "deliveryInstructions") });

const pickupTypes = ["CONTACT_FEDEX_TO_SCHEDULE", "DROPOFF_AT_FEDEX_LOCATION", "USE_SCHEDULED_PICKUP"] as const;
const signatures = ["SERVICE_DEFAULT", "NO_SIGNATURE_REQUIRED", "INDIRECT", "DIRECT", "ADULT"] as const;
const PackageServices = Type.Optional(
  Strict({
    signatureOptionType: Type.Optional(OneOf(signatures)),
    specialServiceTypes: Type.Optional(Type.Array(Type.String())),
    ...unread(
      "signatureOptionDetail",
      "priorityAlertDetail",
      "alcoholDetail",
      "dangerousGoodsDetail",
      "packageCODDetail",
    ),
    ...unread("pieceCountVerificationBoxCount", "batteryDetails", "dryIceWeight", "standaloneBatteryDetails"),
  }),
);
const ShipmentServices = Type.Optional(
  Strict({
    specialServiceTypes: Type.Optional(Type.Array(Type.String())),
    ...unread("etdDetail", "returnShipmentDetail", "deliveryOnInvoiceAcceptanceDetail", "pendingShipmentDetail"),
    ...unread("internationalTrafficInArmsRegulationsDetail", "holdAtLocationDetail", "shipmentCODDetail"),
    ...unread("shipmentDryIceDetail", "internationalControlledExportDetail", "homeDeliveryPremiumDetail"),
  }),
);
const packageFields = {
  weight: Weight,
  dimensions: Type.Optional(Dimensions),
  declaredValue: Type.Optional(Money),
  groupPackageCount: Type.Optional(Type.Integer({ minimum: 1 })),
  packageSpecialServices: PackageServices,
  ...unread("subPackagingType", "variableHandlingChargeDetail"),
};

export const RateBody = Strict({
  accountNumber: AccountNumber,
  rateRequestControlParameters: Type.Optional(
    Strict(
      optional({
        returnTransitTimes: Type.Boolean(),
        servicesNeededOnRateFailure: Type.Boolean(),
        variableOptions: Type.String(),
        rateSortOrder: OneOf(["COMMITASCENDING", "SERVICENAMETRADITIONAL", "COMMITDESCENDING"]),
      }),
    ),
  ),
  requestedShipment: Strict({
    shipper: RateParty,
    recipient: RateParty,
    pickupType: OneOf(pickupTypes),
    requestedPackageLineItems: Type.Array(Strict(packageFields), { minItems: 1 }),
    serviceType: Type.Optional(Type.String()),
    packagingType: Type.Optional(Type.String()),
    preferredCurrency: Type.Optional(Text(3, 3)),
    rateRequestType: Type.Optional(Type.Array(OneOf(["LIST", "INCENTIVE", "ACCOUNT", "PREFERRED"]), { minItems: 1 })),
    shipDateStamp: Type.Optional(Day),
    shipmentSpecialServices: ShipmentServices,
    ...unread("documentShipment", "variableHandlingChargeDetail", "totalPackageCount", "totalWeight"),
    ...unread("customsClearanceDetail", "smartPostInfoDetail", "emailNotificationDetail", "expressFreightDetail"),
  }),
  carrierCodes: Type.Optional(Type.Array(OneOf(["FDXE", "FDXG", "FXSP"]))),
});

const labelStocks = words(`
  PAPER_4X6 STOCK_4X675 PAPER_4X675 PAPER_4X8 PAPER_4X9 PAPER_7X475 PAPER_LETTER STOCK_4X6
  PAPER_85X11_BOTTOM_HALF_LABEL PAPER_85X11_TOP_HALF_LABEL STOCK_4X675_LEADING_DOC_TAB STOCK_4X8
  STOCK_4X9_LEADING_DOC_TAB STOCK_4X675_TRAILING_DOC_TAB STOCK_4X9_TRAILING_DOC_TAB STOCK_4X9
  STOCK_4X85_TRAILING_DOC_TAB STOCK_4X105_TRAILING_DOC_TAB
`);
const LabelSpecification = Strict({
  imageType: OneOf(["ZPLII", "EPL2", "PDF", "PNG"]),
  labelStockType: OneOf(labelStocks),
  labelFormatType: Type.Optional(OneOf(["COMMON2D", "LABEL_DATA_ONLY"])),
  labelOrder: Type.Optional(OneOf(["SHIPPING_LABEL_FIRST", "SHIPPING_LABEL_LAST"])),
  ...unread("customerSpecifiedDetail", "printedLabelOrigin", "labelRotation", "labelPrintingOrientation", "resolution"),
  ...unread("returnedDispositionDetail"),
});
const referenceTypes = words(`
  CUSTOMER_REFERENCE DEPARTMENT_NUMBER INVOICE_NUMBER P_O_NUMBER
  INTRACOUNTRY_REGULATORY_REFERENCE RMA_ASSOCIATION
`);
const shipment = {
  shipper: Party,
  recipients: Type.Array(Party, { minItems: 1, maxItems: 1 }),
  pickupType: OneOf(pickupTypes),
  serviceType: Text(1, 60),
  packagingType: Text(1, 60),
  shippingChargesPayment: Strict({
    paymentType: OneOf(["SENDER", "RECIPIENT", "THIRD_PARTY", "COLLECT"]),
    payor: Type.Optional(Strict({ responsibleParty: Type.Object({ accountNumber: AccountNumber }) })),
  }),
  requestedPackageLineItems: Type.Array(
    Strict({
      ...packageFields,
      sequenceNumber: Type.Optional(Type.Integer({ minimum: 1 })),
      customerReferences: Type.Optional(
        Type.Array(Strict({ customerReferenceType: OneOf(referenceTypes), value: Text(1, 40) })),
      ),
      ...unread("itemDescriptionForClearance", "contentRecord", "itemDescription"),
    }),
    { minItems: 1 },
  ),
  shipDatestamp: Type.Optional(Day),
  rateRequestType: Type.Optional(
    Type.Array(OneOf(["LIST", "NONE", "PREFERRED", "ACCOUNT", "INCENTIVE", "RETAIL"]), { minItems: 1 }),
  ),
  customsClearanceDetail: Type.Optional(
    Type.Object({
      commodities: Type.Array(Type.Object({ description: Text(1, 450) }), { minItems: 1 }),
      commercialInvoice: Type.Optional(Type.Unknown()),
    }),
  ),
  shipmentSpecialServices: ShipmentServices,
  ...unread("totalDeclaredValue", "soldTo", "recipientLocationNumber", "origin", "emailNotificationDetail"),
  ...unread("expressFreightDetail", "variableHandlingChargeDetail", "smartPostInfoDetail", "blockInsightVisibility"),
  ...unread("shippingDocumentSpecification", "preferredCurrency", "totalPackageCount", "masterTrackingId"),
};

export const ShipBody = Strict({
  labelResponseOptions: OneOf(["URL_ONLY", "LABEL"]),
  accountNumber: AccountNumber,
  requestedShipment: Strict({ ...shipment, labelSpecification: LabelSpecification, totalWeight: Type.Number() }),
  processingOptionType: Type.Optional(OneOf(["SYNCHRONOUS_ONLY", "ALLOW_ASYNCHRONOUS"])),
  shipAction: Type.Optional(OneOf(["CONFIRM", "TRANSFER"])),
  ...unread("mergeLabelDocOption", "oneLabelAtATime"),
});

export const OpenShipBody = Strict({
  accountNumber: AccountNumber,
  requestedShipment: Strict({ ...shipment, totalWeight: Type.Optional(Type.Number()) }),
  openShipmentAction: Type.Optional(OneOf(["STRONG_VALIDATION", "WEAK_VALIDATION", "CREATE_PACKAGE"])),
  index: Type.Optional(Text(1, 60)),
});

export const ConfirmBody = Strict({
  accountNumber: AccountNumber,
  index: Text(1, 60),
  labelResponseOptions: OneOf(["URL_ONLY", "LABEL"]),
  labelSpecification: LabelSpecification,
  ...unread("edtRequestType", "shippingDocumentSpecification"),
});

export const IndexBody = Strict({ accountNumber: AccountNumber, index: Text(1, 60) });
export const ResultsBody = Strict({ accountNumber: AccountNumber, jobId: Text(1, 60) });

export const CancelBody = Strict({
  accountNumber: AccountNumber,
  trackingNumber: Text(1, 40),
  deletionControl: Type.Optional(OneOf(["DELETE_ALL_PACKAGES"])),
  ...unread("emailShipment", "senderCountryCode"),
});

export const TrackBody = Strict({
  includeDetailedScans: Type.Boolean(),
  trackingInfo: Type.Array(
    Strict({
      trackingNumberInfo: Strict({
        trackingNumber: Type.String(),
        ...unread("carrierCode", "trackingNumberUniqueId"),
      }),
      shipDateBegin: Type.Optional(Day),
      shipDateEnd: Type.Optional(Day),
    }),
    { minItems: 1, maxItems: 30 },
  ),
});

export const ReferenceBody = Strict({
  referencesInformation: Strict({
    value: Text(1, 40),
    shipDateBegin: Day,
    shipDateEndDate: Day,
    accountNumber: Type.Optional(Type.String()),
    destinationCountryCode: Type.Optional(Text(2, 2)),
    destinationPostalCode: Type.Optional(Text(1, 10)),
    ...unread("carrierCode", "type"),
  }),
  includeDetailedScans: Type.Optional(Type.Boolean()),
});
