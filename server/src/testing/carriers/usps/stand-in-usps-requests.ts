import { OneOf, optional, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Matching, Text, unread, words } from "../request-rules.ts";

// As in the OpenAPI documents: the outermost object refuses unknown fields, most inner ones take them.

const zip = Matching("^\\d{5}$");
const zipOrLong = Matching("^\\d{5}(?:[-\\s]\\d{4})?$");
const Day = Type.String({ format: "date" });
const state = Matching(
  "^(AA|AE|AL|AK|AP|AS|AZ|AR|CA|CO|CT|DE|DC|FM|FL|GA|GU|HI|ID|IL|IN|IA|KS|KY|LA|ME|MH|MD|MA|MI|MN|MS|MO|MP|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR|PW|PA|PR|RI|SC|SD|TN|TX|UT|VT|VI|VA|WA|WV|WI|WY)$",
);
const mailerId = Matching("^(\\d{6}|\\d{9})$");
const mailClasses = words(`
  PARCEL_SELECT PARCEL_SELECT_LIGHTWEIGHT USPS_CONNECT_LOCAL USPS_CONNECT_REGIONAL USPS_CONNECT_MAIL
  USPS_GROUND_ADVANTAGE PRIORITY_MAIL_EXPRESS PRIORITY_MAIL FIRST-CLASS_PACKAGE_SERVICE LIBRARY_MAIL
  MEDIA_MAIL BOUND_PRINTED_MATTER
`);
const processingCategory = OneOf(["LETTERS", "FLATS", "MACHINABLE", "IRREGULAR", "NON_MACHINABLE", "NONSTANDARD"]);
const facilities = `
  NONE DESTINATION_NETWORK_DISTRIBUTION_CENTER DESTINATION_SECTIONAL_CENTER_FACILITY DESTINATION_DELIVERY_UNIT
  DESTINATION_SERVICE_HUB DESTINATION_REGIONAL_PROCESSING_DISTRIBUTION_CENTER
`;
const entryFacility = OneOf(words(facilities));
const indicators = `
  3D 3N 3R 5D BA BB CP CM DC DE DF DN DR E4 E6 FA FB FE FP FS LC LF LL LO LS NP OS P5 P6 P7 P8 P9 Q6 Q7 Q8 Q9 Q0 PA
  PL PM PR SN SP SR
`;
const rateIndicator = OneOf(words(indicators));
const priceType = OneOf(["RETAIL", "COMMERCIAL", "CONTRACT", "NSA"]);
const size = {
  weight: Type.Number({ minimum: 0 }),
  length: Type.Number({ minimum: 0 }),
  width: Type.Number({ minimum: 0 }),
  height: Type.Number({ minimum: 0 }),
};

export const TokenBody = Type.Object({
  grant_type: Type.String(),
  client_id: Type.String(),
  client_secret: Type.String(),
  scope: Type.Optional(Type.String()),
});

const roleNames = `
  PAYER RATE_HOLDER LABEL_OWNER SHIPPER MAIL_OWNER PLATFORM RETURN_LABEL_PAYER RETURN_LABEL_RATE_HOLDER
  RETURN_LABEL_OWNER LABEL_PROVIDER
`;

export const PaymentBody = Type.Object({
  roles: Type.Array(
    Type.Object({
      roleName: OneOf(words(roleNames)),
      ...optional({
        CRID: Text(2, 18),
        MID: mailerId,
        manifestMID: mailerId,
        accountType: OneOf(["EPS", "PERMIT", "METER", "OMAS"]),
        accountNumber: Type.String(),
        permitNumber: Type.String(),
        permitZIP: Text(0, 5),
      }),
    }),
    { minItems: 1 },
  ),
});

const classOrAll = OneOf([...mailClasses, "ALL"]);
const account = optional({ accountType: OneOf(["EPS", "PERMIT", "METER", "MID"]), accountNumber: Matching("^\\d+$") });
const extraServices = Type.Array(Type.Integer({ minimum: 100, maximum: 999 }), { maxItems: 5 });

export const BaseRatesBody = Strict({
  originZIPCode: zipOrLong,
  destinationZIPCode: zipOrLong,
  ...size,
  mailClass: OneOf(mailClasses),
  processingCategory,
  rateIndicator,
  destinationEntryFacilityType: entryFacility,
  priceType,
  mailingDate: Type.Optional(Day),
  ...account,
  ...unread("hasNonstandardCharacteristics"),
});

export const TotalRatesBody = Strict({
  originZIPCode: zipOrLong,
  destinationZIPCode: zipOrLong,
  ...size,
  ...optional({
    mailClass: classOrAll,
    mailClasses: Type.Array(classOrAll, { minItems: 1 }),
    priceType,
    mailingDate: Day,
  }),
  ...account,
  ...optional({ itemValue: Type.Number({ minimum: 0 }), extraServices }),
  ...unread("hasNonstandardCharacteristics"),
});

export const OptionsBody = Type.Object({
  originZIPCode: zipOrLong,
  destinationZIPCode: zipOrLong,
  destinationEntryFacilityType: Type.Optional(entryFacility),
  packageDescription: Type.Object({
    ...size,
    ...optional({ mailClass: classOrAll, mailingDate: Day, extraServices }),
  }),
  pricingOptions: Type.Array(
    Type.Object({
      priceType,
      paymentAccount: Type.Optional(Type.Object({ accountType: Type.String(), accountNumber: Type.String() })),
    }),
    { minItems: 1 },
  ),
});

const person = optional({ firstName: Text(1, 50), lastName: Text(1, 50), firm: Text(0, 50) });
const place = {
  streetAddress: Text(1, 50),
  city: Text(1, 28),
  state,
  ZIPCode: zip,
  ...optional({ secondaryAddress: Text(0, 50), ZIPPlus4: Matching("^\\d{4}$"), urbanization: Text(0, 96) }),
};
const contact = optional({
  phone: Matching("^\\+?[1-9][0-9]{7,14}$|^[0-9]{6,15}$"),
  email: Text(3, 50),
  ignoreBadAddress: Type.Boolean(),
});
const LabelAddress = Type.Object({ ...place, ...person, ...contact });

const imageTypes = ["PDF", "TIFF", "JPG", "PNG", "GIF", "SVG", "ZPL203DPI", "ZPL300DPI", "EPL300DPI"];
const labelType = OneOf(["4X4LABEL", "4X5LABEL", "4X6LABEL", "6X4LABEL", "2X7LABEL"]);

export const LabelBody = Strict({
  imageInfo: Type.Optional(
    Type.Object(
      optional({
        imageType: OneOf([...imageTypes, "LABEL_BROKER", "NONE"]),
        labelType,
        receiptOption: OneOf(["SAME_PAGE", "SEPARATE_PAGE", "NONE"]),
      }),
    ),
  ),
  toAddress: LabelAddress,
  fromAddress: LabelAddress,
  senderAddress: Type.Optional(LabelAddress),
  returnAddress: Type.Optional(LabelAddress),
  packageDescription: Type.Object({
    ...size,
    mailClass: OneOf(mailClasses),
    processingCategory,
    destinationEntryFacilityType: entryFacility,
    rateIndicator,
    mailingDate: Type.String({ format: "date-or-date-time" }),
    ...optional({
      weightUOM: OneOf(["lb"]),
      dimensionsUOM: OneOf(["in"]),
      extraServices,
      customerReference: Type.Array(Type.Object({ referenceNumber: Text(1, 30) }), { maxItems: 4 }),
      packageOptions: Type.Object(
        optional({ packageValue: Type.Number({ minimum: 0 }), immediateManifest: Type.Boolean() }),
      ),
    }),
  }),
  customsForm: Type.Optional(Type.Unknown()),
});

export const ReprintBody = Strict({
  imageInfo: Type.Optional(Type.Object(optional({ imageType: OneOf(imageTypes), labelType }))),
});

const packageTypes = words(`
  FIRST-CLASS_PACKAGE_SERVICE PRIORITY_MAIL_EXPRESS PRIORITY_MAIL RETURNS USPS_GROUND_ADVANTAGE
  INTERNATIONAL OTHER
`);
const locations = words(`
  FRONT_DOOR BACK_DOOR SIDE_DOOR KNOCK_ON_DOOR MAIL_ROOM OFFICE PORCH RECEPTION MAILBOX
  OTHER
`);
export const PickupBody = Strict({
  pickupDate: Day,
  pickupAddress: Strict({
    firstName: Text(1, 50),
    lastName: Text(1, 50),
    firm: Type.Optional(Text(0, 50)),
    address: Type.Object({
      streetAddress: Text(1, 50),
      ...optional({
        secondaryAddress: Text(0, 50),
        city: Text(1, 28),
        state: Text(2, 100),
        ZIPCode: zip,
        ZIPPlus4: Matching("^\\d{4}$"),
      }),
    }),
    contact: Type.Array(Type.Object(optional({ email: Text(3, 50), cellNumber: Matching("^\\d{10}$") })), {
      minItems: 1,
      maxItems: 2,
    }),
  }),
  packages: Type.Array(Type.Object({ packageType: OneOf(packageTypes), packageCount: Type.Integer({ minimum: 1 }) }), {
    minItems: 1,
  }),
  estimatedWeight: Type.Number({ minimum: 0 }),
  pickupLocation: Strict({
    packageLocation: OneOf(locations),
    ...optional({ specialInstructions: Text(0, 255), dogPresent: Type.Boolean() }),
  }),
  ...unread("nextAvailablePickup"),
});

export const PickupChangeBody = Strict({
  confirmationNumber: Type.Optional(Type.String()),
  pickupDate: Day,
  carrierPickupRequest: PickupBody,
});

export const ScanFormBody = Strict({
  mailingDate: Day,
  entryFacilityZIPCode: zip,
  destinationEntryFacilityType: entryFacility,
  shipment: Strict({ trackingNumbers: Type.Array(Type.String(), { minItems: 1, maxItems: 40_000 }) }),
  fromAddress: Type.Object({ ...place, ...person, ignoreBadAddress: Type.Optional(Type.Boolean()) }),
  ...optional({
    form: OneOf(["5630"]),
    imageType: OneOf(["PDF", "TIFF", "JPG", "PNG", "GIF", "SVG", "NONE"]),
    labelType: OneOf(["8.5x11LABEL"]),
    overwriteMailingDate: Type.Boolean(),
  }),
  ...unread("imageInfo"),
});
