import { OneOf, optional, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Matching, Text, unread } from "../request-rules.ts";
import { AccountNumber, Contact, Day, place, streetLines, Weight } from "./stand-in-fedex-requests.ts";

const ClockTime = Matching("^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$");
const PickupAddress = Strict({
  ...optional(place),
  streetLines: Type.Optional(streetLines),
  ...unread("urbanizationCode", "addressClassification"),
});

export const AvailabilityBody = Strict({
  pickupAddress: PickupAddress,
  pickupRequestType: Type.Array(OneOf(["SAME_DAY", "FUTURE_DAY"]), { minItems: 1 }),
  carriers: Type.Array(OneOf(["FDXE", "FDXG"]), { minItems: 1 }),
  countryRelationship: OneOf(["DOMESTIC", "INTERNATIONAL"]),
  dispatchDate: Type.Optional(Day),
  packageReadyTime: Type.Optional(ClockTime),
  customerCloseTime: Type.Optional(ClockTime),
  ...unread("pickupType", "shipmentAttributes", "numberOfBusinessDays", "packageDetails", "associatedAccountNumber"),
  ...unread("associatedAccountNumberType"),
});

export const PickupBody = Strict({
  associatedAccountNumber: AccountNumber,
  originDetail: Strict({
    pickupLocation: Strict({
      contact: Contact,
      address: PickupAddress,
      accountNumber: Type.Optional(AccountNumber),
      ...unread("deliveryInstructions"),
    }),
    readyDateTimestamp: Matching("^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"),
    customerCloseTime: ClockTime,
    packageLocation: Type.Optional(OneOf(["FRONT", "NONE", "REAR", "SIDE"])),
    pickupDateType: Type.Optional(OneOf(["SAME_DAY", "FUTURE_DAY"])),
    ...unread("pickupAddressType", "buildingPart", "buildingPartDescription", "earlyPickup", "suppliesRequested"),
    ...unread("geographicalPostalCode"),
  }),
  carrierCode: OneOf(["FDXE", "FDXG"]),
  packageCount: Type.Optional(Type.Integer({ minimum: 1 })),
  totalWeight: Type.Optional(Weight),
  remarks: Type.Optional(Text(0, 60)),
  ...unread("associatedAccountNumberType", "accountAddressOfRecord", "countryRelationships", "pickupType"),
  ...unread("trackingNumber", "commodityDescription", "expressFreightDetail", "oversizePackageCount"),
  ...unread("pickupNotificationDetail"),
});

export const CancelPickupBody = Strict({
  associatedAccountNumber: AccountNumber,
  pickupConfirmationCode: Text(1, 20),
  scheduledDate: Day,
  carrierCode: Type.Optional(OneOf(["FDXE", "FDXG"])),
  location: Type.Optional(Text(1, 10)),
  ...unread("remarks", "accountAddressOfRecord"),
});

export const AddressBody = Strict({
  addressesToValidate: Type.Array(
    Strict({
      address: Strict({
        streetLines,
        city: Text(1, 35),
        postalCode: Text(1, 10),
        ...optional({ stateOrProvinceCode: Text(1, 2), countryCode: place.countryCode }),
        ...unread("urbanizationCode", "addressVerificationId"),
      }),
      clientReferenceId: Type.Optional(Type.String()),
    }),
    { minItems: 1, maxItems: 100 },
  ),
  ...unread("inEffectAsOfTimestamp", "validateAddressControlParameters"),
});

export const CloseBody = Strict({
  closeReqType: OneOf(["GCDR", "RGCDR"]),
  accountNumber: AccountNumber,
  groundServiceCategory: OneOf(["GROUND"]),
  closeDate: Type.Optional(Day),
  trackingNumber: Type.Optional(Text(1, 40)),
  reprintOption: Type.Optional(OneOf(["BY_SHIP_DATE", "BY_TRACKING_NUMBER"])),
  closeDocumentSpecification: Type.Optional(
    Strict({
      closeDocumentTypes: Type.Array(OneOf(["MANIFEST", "OP_950"]), { minItems: 1 }),
      ...unread("op950Detail"),
    }),
  ),
});
