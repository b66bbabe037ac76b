import { OneOf, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Matching, member, Text, unread, wrapInList } from "../request-rules.ts";

// Lengths, required fields and lists of names are those of the OpenAPI documents of version 2409. Where an example in the same
// document contradicts the schema (service codes of two characters, dates of eight, lines of an address and names of
// units in a rate request), the example counts.

const Described = (code: ReturnType<typeof Text>) =>
  Strict({ Code: code, Description: Type.Optional(Type.String({ maxLength: 35 })) });
/** Whatever its value: the presence of a flag counts. */
const Flag = Type.Optional(Type.String());
const Lines = Type.Array(Text(1, 35), { minItems: 1, maxItems: 3 });
const Account = Text(6, 6);
const Weight = Matching("^\\d{1,4}(\\.\\d{1,2})?$");
const Length = Matching("^\\d{1,3}(\\.\\d{1,2})?$");
const Money = Matching("^\\d{1,15}(\\.\\d{1,2})?$");
const Day = Matching("^\\d{8}$");
const Time = Matching("^([01]\\d|2[0-3])[0-5]\\d$");

const TransactionReference = Type.Optional(
  Strict({ CustomerContext: Type.Optional(Type.String({ maxLength: 512 })), ...unread("TransactionIdentifier") }),
);
const SubVersion = Type.Optional(Matching("^\\d{4}$"));

const CountryCode = Matching("^[A-Z]{2}$");
const RateAddress = Strict({
  AddressLine: Type.Optional(Lines),
  City: Type.Optional(Text(1, 30)),
  StateProvinceCode: Type.Optional(Text(2, 2)),
  PostalCode: Type.Optional(Text(1, 9)),
  CountryCode,
  ResidentialAddressIndicator: Flag,
});
const ShipAddress = Strict({
  AddressLine: Lines,
  City: Text(1, 30),
  StateProvinceCode: Type.Optional(Text(1, 5)),
  PostalCode: Type.Optional(Text(1, 9)),
  CountryCode,
  ResidentialAddressIndicator: Flag,
  POBoxIndicator: Flag,
});

const rateParty = { Name: Type.Optional(Text(1, 35)), AttentionName: Type.Optional(Text(1, 35)), Address: RateAddress };
const shipParty = {
  Name: Text(1, 35),
  AttentionName: Type.Optional(Text(1, 35)),
  CompanyDisplayableName: Type.Optional(Text(1, 35)),
  TaxIdentificationNumber: Type.Optional(Text(1, 15)),
  Phone: Type.Optional(Strict({ Number: Text(1, 15), Extension: Type.Optional(Text(1, 4)) })),
  FaxNumber: Type.Optional(Text(1, 15)),
  EMailAddress: Type.Optional(Text(1, 50)),
  Address: ShipAddress,
};

const Payer = {
  AccountNumber: Account,
  ...unread("Address", "CreditCard", "AlternatePaymentMethod", "Name", "AttentionName", "VatTaxID", "TaxIDType"),
};
const Charges = Strict({
  ShipmentCharge: Type.Array(
    Strict({
      Type: OneOf(["01", "02", "03"]),
      BillShipper: Type.Optional(Strict(Payer)),
      BillReceiver: Type.Optional(Strict(Payer)),
      BillThirdParty: Type.Optional(Strict({ ...Payer, Address: Type.Object({ CountryCode }) })),
      ...unread("ConsigneeBilledIndicator"),
    }),
    { minItems: 1, maxItems: 3 },
  ),
  ...unread("SplitDutyVATIndicator"),
});

const Confirmation = (types: readonly string[]) =>
  Type.Optional(Strict({ DCISType: OneOf(types), ...unread("DCISNumber") }));
const packageOptions = {
  DeliveryConfirmation: Confirmation(["2", "3"]),
  DeclaredValue: Type.Optional(Strict({ CurrencyCode: Text(3, 3), MonetaryValue: Money, ...unread("Type") })),
  ...unread("COD", "AccessPointCOD", "ShipperReleaseIndicator", "Notification", "HazMat", "DryIce", "Insurance"),
  ...unread("UPSPremiumCareIndicator", "ProactiveIndicator", "PackageIdentifier", "RefrigerationIndicator"),
};
const shipmentOptions = {
  SaturdayDeliveryIndicator: Flag,
  DeliveryConfirmation: Confirmation(["1", "2"]),
  ...unread("SaturdayPickupIndicator", "COD", "AccessPointCOD", "DeliverToAddresseeOnlyIndicator", "Notification"),
  ...unread("DirectDeliveryOnlyIndicator", "LabelDelivery", "InternationalForms", "ReturnOfDocumentIndicator"),
  ...unread("UPScarbonneutralIndicator", "CommercialInvoiceRemovalIndicator", "HoldForPickupIndicator", "LabelMethod"),
  ...unread("DropoffAtUPSFacilityIndicator", "ImportControlIndicator", "RestrictedArticles", "EUDeMinimisIndicator"),
};
const RatingOptions = Strict({
  NegotiatedRatesIndicator: Flag,
  ...unread("FRSShipmentIndicator", "RateChartIndicator", "UserLevelDiscountIndicator", "TPFCNegotiatedRatesIndicator"),
});

const unitCodes = OneOf(["LBS", "KGS", "OZS", "IN", "CM"]);
const Unit = Strict({ Code: unitCodes, Description: Type.Optional(Text(1, 35)) });
const boxFields = {
  Dimensions: Type.Optional(Strict({ UnitOfMeasurement: Unit, Length, Width: Length, Height: Length })),
  PackageWeight: Type.Optional(Strict({ UnitOfMeasurement: Unit, Weight })),
  ...unread("DimWeight", "LargePackageIndicator", "AdditionalHandlingIndicator", "SimpleRate", "UPSPremier"),
  ...unread("OversizeIndicator", "MinimumBillableWeightIndicator", "Commodity"),
};

const RatePackage = Strict({
  PackagingType: Described(Text(2, 2)),
  ...boxFields,
  PackageServiceOptions: Type.Optional(Strict(packageOptions)),
});

export const RateBody = Strict({
  RateRequest: Strict({
    Request: Strict({ SubVersion, TransactionReference, ...unread("RequestOption") }),
    PickupType: Type.Optional(Described(Text(2, 2))),
    CustomerClassification: Type.Optional(Described(Text(2, 2))),
    Shipment: Strict({
      Shipper: Strict({ ...rateParty, ShipperNumber: Type.Optional(Account) }),
      ShipTo: Strict(rateParty),
      ShipFrom: Type.Optional(Strict(rateParty)),
      PaymentDetails: Type.Optional(Charges),
      Service: Type.Optional(Described(Text(2, 3))),
      Package: Type.Array(RatePackage, { minItems: 1, maxItems: 200 }),
      ShipmentServiceOptions: Type.Optional(Strict({ ...shipmentOptions, ...unread("ReturnService") })),
      ShipmentRatingOptions: Type.Optional(RatingOptions),
      DeliveryTimeInformation: Type.Optional(
        Strict({
          PackageBillType: OneOf(["02", "03", "04"]),
          Pickup: Type.Optional(Strict({ Date: Day, Time: Type.Optional(Time) })),
          ...unread("ReturnContractServices"),
        }),
      ),
      ...unread(
        "NumOfPieces",
        "ShipmentTotalWeight",
        "DocumentsOnlyIndicator",
        "InvoiceLineTotal",
        "WWEShipmentIndicator",
      ),
      ...unread("RatingMethodRequestedIndicator", "TaxInformationIndicator", "PromotionalDiscountInformation"),
      ...unread("OriginRecordTransactionTimestamp", "AlternateDeliveryAddress", "ShipmentIndicationType"),
      ...unread("FRSPaymentInformation", "FreightShipmentInformation", "MasterCartonIndicator"),
      ...unread("GoodsNotInFreeCirculationIndicator"),
    }),
  }),
});

const References = Type.Optional(
  Type.Array(Strict({ Code: Type.Optional(Text(1, 2)), Value: Text(1, 35), ...unread("BarCodeIndicator") }), {
    maxItems: 5,
  }),
);
const ShipPackage = Strict({
  Description: Type.Optional(Text(1, 35)),
  Packaging: Described(Text(2, 2)),
  ...boxFields,
  ReferenceNumber: References,
  PackageServiceOptions: Type.Optional(Strict(packageOptions)),
  ...unread("PalletDescription", "NumOfPieces", "UnitPrice", "HazMatPackageInformation"),
});
const StockSize = Strict({ Height: OneOf(["6", "8"]), Width: OneOf(["4"]) });

export const ShipBody = Strict({
  ShipmentRequest: Strict({
    Request: Strict({ RequestOption: OneOf(["nonvalidate", "validate"]), SubVersion, TransactionReference }),
    Shipment: Strict({
      Description: Type.Optional(Text(1, 50)),
      Shipper: Strict({ ...shipParty, ShipperNumber: Account }),
      ShipTo: Strict({ ...shipParty, LocationID: Type.Optional(Text(3, 10)) }),
      ShipFrom: Type.Optional(Strict({ ...shipParty, ...unread("TaxIDType", "VendorInfo", "ShipFromAccountNumber") })),
      PaymentInformation: Charges,
      Service: Described(Text(2, 3)),
      Package: Type.Array(ShipPackage, { minItems: 1, maxItems: 200 }),
      ReferenceNumber: References,
      ReturnService: Type.Optional(Described(Text(1, 2))),
      ShipmentServiceOptions: Type.Optional(Strict(shipmentOptions)),
      ShipmentRatingOptions: Type.Optional(RatingOptions),
      ShipmentDate: Type.Optional(Day),
      InvoiceLineTotal: Type.Optional(Strict({ CurrencyCode: Text(3, 3), MonetaryValue: Money })),
      ...unread("NumOfPiecesInShipment", "RatingMethodRequestedIndicator", "TaxInformationIndicator", "Locale"),
      ...unread("DocumentsOnlyIndicator", "AlternateDeliveryAddress", "GlobalTaxInformation", "ShipmentIndicationType"),
      ...unread("USPSEndorsement", "CostCenter", "PackageID", "MovementReferenceNumber", "QuoteID", "ShipperType"),
      ...unread("DGSignatoryInfo", "ShipmentValueThresholdCode", "ConsigneeType", "InformationSourceCode", "WorldEase"),
      ...unread("FRSPaymentInformation", "FreightShipmentInformation", "GoodsNotInFreeCirculationIndicator"),
      ...unread(
        "PromotionalDiscountInformation",
        "ShipmentRiskEnteringEU",
        "MILabelCN22Indicator",
        "SubClassification",
      ),
      ...unread("CostCenterBarcodeIndicator", "PackageIDBarcodeIndicator", "IrregularIndicator", "MasterCartonID"),
      ...unread("MIDualReturnShipmentKey", "MIDualReturnShipmentIndicator", "MasterCartonIndicator", "TradeDirect"),
      ...unread("HealthcareIdentifier"),
    }),
    LabelSpecification: Strict({
      LabelImageFormat: Strict({
        Code: OneOf(["GIF", "PNG", "ZPL", "EPL", "SPL"]),
        Description: Type.Optional(Text(1, 35)),
      }),
      LabelStockSize: Type.Optional(StockSize),
      ...unread("HTTPUserAgent", "Instruction", "CharacterSet"),
    }),
    ...unread("ReceiptSpecification"),
  }),
});

export const RecoveryBody = Strict({
  LabelRecoveryRequest: Strict({
    Request: Strict({ SubVersion, TransactionReference, ...unread("RequestOption") }),
    LabelSpecification: Type.Optional(
      Strict({
        LabelImageFormat: Type.Optional(
          Strict({ Code: OneOf(["GIF", "PDF", "ZPL", "EPL", "SPL"]), ...unread("Description") }),
        ),
        LabelStockSize: Type.Optional(StockSize),
        ...unread("HTTPUserAgent"),
      }),
    ),
    TrackingNumber: Type.Optional(Text(1, 18)),
    ReferenceValues: Type.Optional(
      Strict({ ReferenceNumber: Strict({ Value: Text(1, 35) }), ShipperNumber: Type.Optional(Account) }),
    ),
    ...unread("LabelDelivery", "Translate", "Locale", "UPSPremiumCareForm", "MailInnovationsTrackingNumber"),
  }),
});

export const PickupBody = Strict({
  PickupCreationRequest: Strict({
    Request: Type.Optional(Strict({ SubVersion, TransactionReference })),
    RatePickupIndicator: OneOf(["Y", "N"]),
    Shipper: Type.Optional(
      Strict({
        Account: Type.Optional(Strict({ AccountNumber: Text(6, 10), AccountCountryCode: CountryCode })),
        ...unread("ChargeCard"),
      }),
    ),
    PickupDateInfo: Strict({ CloseTime: Time, ReadyTime: Time, PickupDate: Day }),
    PickupAddress: Strict({
      CompanyName: Text(1, 27),
      ContactName: Text(1, 22),
      AddressLine: Type.Array(Text(1, 73), { minItems: 1, maxItems: 1 }),
      City: Text(1, 50),
      StateProvince: Type.Optional(Text(1, 50)),
      PostalCode: Type.Optional(Text(1, 8)),
      CountryCode,
      ResidentialIndicator: OneOf(["Y", "N"]),
      Phone: Strict({ Number: Text(1, 25), Extension: Type.Optional(Text(1, 10)) }),
      Room: Type.Optional(Text(1, 8)),
      Floor: Type.Optional(Text(1, 3)),
      PickupPoint: Type.Optional(Text(1, 11)),
      ...unread("Urbanization"),
    }),
    AlternateAddressIndicator: OneOf(["Y", "N"]),
    PickupPiece: Type.Array(
      Strict({
        ServiceCode: Matching("^\\d{3}$"),
        Quantity: Matching("^\\d{1,3}$"),
        DestinationCountryCode: CountryCode,
        ContainerCode: OneOf(["01", "02", "03"]),
      }),
      { minItems: 1 },
    ),
    TotalWeight: Type.Optional(
      Strict({ Weight: Matching("^\\d{1,4}(\\.\\d)?$"), UnitOfMeasurement: OneOf(["LBS", "KGS"]) }),
    ),
    OverweightIndicator: Type.Optional(OneOf(["Y", "N"])),
    PaymentMethod: OneOf(["00", "01", "03", "04", "05", "06"]),
    SpecialInstruction: Type.Optional(Text(1, 57)),
    ReferenceNumber: Type.Optional(Text(1, 35)),
    ...unread("RateChartType", "TaxInformationIndicator", "UserLevelDiscountIndicator", "TrackingData", "Notification"),
    ...unread("TrackingDataWithReferenceNumber", "FreightOptions", "ServiceCategory", "ShippingLabelsAvailable"),
  }),
});

/** Lists may be sent as one object, as most examples of the documents do. */
export function withLists(body: unknown): unknown {
  const request = member(body, "RateRequest") ?? member(body, "ShipmentRequest");
  const shipment = member(request, "Shipment");
  wrapInList(shipment, "Package", "ReferenceNumber");
  wrapInList(member(shipment, "PaymentInformation") ?? member(shipment, "PaymentDetails"), "ShipmentCharge");
  const packages = member(shipment, "Package");
  for (const one of Array.isArray(packages) ? packages : []) wrapInList(one, "ReferenceNumber");
  for (const party of ["Shipper", "ShipTo", "ShipFrom"]) {
    wrapInList(member(member(shipment, party), "Address"), "AddressLine");
  }
  const pickup = member(body, "PickupCreationRequest");
  wrapInList(pickup, "PickupPiece");
  wrapInList(member(pickup, "PickupAddress"), "AddressLine");
  wrapInList(member(member(body, "XAVRequest"), "AddressKeyFormat"), "AddressLine");
  return body;
}
