import { aHold, aLine, anOrder } from "../an-order.ts";
import { accountIds, now } from "../an-evaluation.ts";
import type { Cases } from "./case-parts.ts";
import { systemHold, fullHolds, partly, entirely, noted, withLines } from "./case-parts.ts";

const anywhere = "0199f0a0-0000-7000-8000-00000000a0e1";
const [first] = entirely.shipments!;
const twoShipments = [first!, { ...first!, id: "shipment-2", trackingNumber: "T2" }];

const aPackage = (kilos: number, count: number) => ({ weight: { value: kilos, unit: "kg" as const }, count });

export const shippingCases: Record<string, Cases> = {
  set_shipping: {
    applied: [
      {
        params: { service: "air", package_type: "box", third_party_billing: { account: "42" } },
        gives: {
          shipping: { carrier: "ups", service: "air", packageType: "box", thirdPartyBilling: { account: "42" } },
        },
      },
      {
        params: { carrier_account_id: "0199F0A0-0000-7000-8000-00000000CA01" },
        gives: {
          shipping: { carrier: "ups", service: "ground", carrierAccountId: "0199f0a0-0000-7000-8000-00000000ca01" },
        },
      },
      {
        given: { status: "sent" },
        params: { service: null },
        gives: { shipping: { carrier: "ups" } },
        warning: "already_sent",
      },
    ],
    unchanged: [{ params: { carrier: "ups" } }, { given: { status: "sent" }, params: { package_type: null } }],
    blocked: [{ given: partly, params: { carrier: "ups" }, code: "invalid_state" }],
  },
  choose_rate: {
    applied: [
      {
        given: { locationId: anywhere },
        params: { services: ["ground", "Express"] },
        gives: { shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "GROUND" } },
      },
      // Cheaper accounts that sell no labels or serve comparisons only are left out.
      {
        given: { locationId: anywhere, shipping: { packageType: "box" } },
        params: { max_transit_days: 1 },
        gives: {
          shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "EXPRESS", packageType: "box" },
        },
      },
      // Fast enough, and cheaper than with the other account, which is named as well.
      {
        given: { locationId: anywhere },
        params: { max_transit_days: 1, carrier_account_ids: [accountIds.demo, accountIds.card] },
        gives: { shipping: { carrierAccountId: accountIds.card, carrier: "Contract", service: "EXPRESS" } },
        warning: "no_labels",
      },
      // On a Monday: four business days later is Friday, one is Tuesday.
      {
        given: { locationId: anywhere },
        params: { deliver_by: "2026-03-06", services: ["GROUND", "EXPRESS"] },
        gives: { shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "GROUND" } },
      },
      {
        given: { locationId: anywhere },
        params: { deliver_by: "2026-03-05" },
        gives: { shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "EXPRESS" } },
      },
      {
        given: { locationId: anywhere },
        params: { deliver_by: "2026-03-06", ship_date: "2026-03-03" },
        gives: { shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "EXPRESS" } },
      },
      {
        given: { locationId: anywhere, deliverBy: "2026-03-05T20:00:00.000Z" },
        params: { meet_deliver_by: true, deliver_by: "2026-03-20" },
        gives: { shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "EXPRESS" } },
      },
      {
        given: { locationId: anywhere, deliverBy: null },
        params: { meet_deliver_by: true, services: ["GROUND"] },
        gives: { shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "GROUND" } },
      },
      // A price of zero is taken only if there is no other, and never silently.
      {
        given: { locationId: anywhere },
        params: { carrier_account_ids: [accountIds.trial] },
        gives: { shipping: { carrierAccountId: accountIds.trial, carrier: "demo", service: "EXPRESS" } },
        warning: "comparison_only",
      },
      {
        given: { locationId: anywhere },
        params: { carrier_account_ids: [accountIds.trial], services: ["GROUND"] },
        gives: { shipping: { carrierAccountId: accountIds.trial, carrier: "demo", service: "GROUND" } },
        warning: "price_zero",
      },
      // Two packages of 1 kg and one of 10 kg are 12 kg.
      {
        given: { locationId: anywhere, packages: [aPackage(1, 2), aPackage(10, 1)] },
        params: { services: ["GROUND"] },
        gives: { shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "GROUND" } },
      },
      {
        given: { locationId: anywhere },
        params: { prefer: "fastest", carrier_account_ids: [accountIds.demo.toUpperCase()] },
        gives: { shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "EXPRESS" } },
      },
      // A service without a promised day may be cheap, but does not count as fast.
      {
        given: { locationId: anywhere },
        params: { carrier_account_ids: [accountIds.card] },
        gives: { shipping: { carrierAccountId: accountIds.card, carrier: "Contract", service: "ODD" } },
        warning: "no_labels",
      },
      {
        given: { locationId: anywhere, status: "sent" },
        params: { weight: { value: 12, unit: "kg" }, services: ["EXPRESS"] },
        gives: { shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "EXPRESS" } },
        warning: "already_sent",
      },
    ],
    unchanged: [
      {
        given: {
          locationId: anywhere,
          shipping: { carrierAccountId: accountIds.demo, carrier: "demo", service: "ODD" },
        },
        params: { services: ["ODD"] },
      },
    ],
    blocked: [
      { given: { locationId: null }, code: "origin_missing" },
      { given: { locationId: anywhere, shippingAddress: null }, code: "address_missing" },
      { given: { locationId: anywhere, lines: [aLine()] }, code: "weight_missing" },
      { given: { locationId: anywhere }, params: { services: ["no such"] }, code: "no_rate" },
      { given: { locationId: anywhere }, params: { weight: { value: 31, unit: "kg" } }, code: "no_rate" },
      { given: { locationId: anywhere }, params: { deliver_by: "2026-03-02" }, code: "no_rate" },
      { given: { locationId: anywhere }, params: { ship_date: "2026-03-01" }, code: "in_the_past" },
      { given: { locationId: anywhere, packages: [aPackage(20, 2)] }, code: "no_rate" },
      { given: { locationId: anywhere, packages: [aPackage(1, 26)] }, code: "too_many_parcels" },
      { given: { locationId: anywhere, packages: [aPackage(1, 1), { count: 1 }] }, code: "weight_missing" },
      { given: partly, code: "invalid_state" },
    ],
  },
  correct_tracking: {
    applied: [
      {
        given: entirely,
        params: { tracking_number: "T2" },
        gives: { shipments: [{ id: "shipment-1", trackingNumber: "T2" }] },
      },
      {
        given: { ...entirely, shipments: twoShipments },
        params: { tracking_number: "T3", current_tracking_number: "t-1", carrier: "fedex" },
        gives: {
          shipments: [
            { trackingNumber: "T3", carrier: "fedex" },
            { trackingNumber: "T2", carrier: "ups" },
          ],
        },
      },
      {
        given: entirely,
        params: { tracking_number: "T1", service: "air" },
        gives: { shipments: [{ service: "air" }] },
      },
    ],
    unchanged: [
      { given: entirely, params: { tracking_number: "T1" } },
      {
        given: { ...entirely, shipments: twoShipments },
        params: { tracking_number: "T2", current_tracking_number: "corrected before" },
      },
    ],
    blocked: [
      {
        given: { ...entirely, shipments: twoShipments },
        params: { tracking_number: "T3" },
        code: "shipment_not_found",
      },
      { given: entirely, params: { tracking_number: "T2", current_tracking_number: "T9" }, code: "shipment_not_found" },
      {
        given: { ...entirely, shipments: twoShipments },
        params: { tracking_number: "T2", current_tracking_number: "T1" },
        code: "tracking_number_taken",
      },
      { params: { tracking_number: "T2" }, code: "invalid_state" },
    ],
  },
  set_package: {
    applied: [
      {
        params: { weight: { value: 2, unit: "kg" } },
        gives: { packages: [{ count: 1, weight: { value: 2, unit: "kg" } }] },
      },
      {
        given: { packages: [{ count: 2, weight: { value: 2, unit: "kg" } }] },
        params: { weight: { value: 500, unit: "g" }, weight_mode: "add", package_count: 3 },
        gives: { packages: [{ count: 3, weight: { value: 2.5, unit: "kg" } }] },
      },
    ],
    unchanged: [{ given: { packages: [{ count: 2 }] }, params: { package_count: 2 } }],
    blocked: [
      { given: { packages: [{ count: 1 }, { count: 2 }] }, params: { package_count: 2 }, code: "multiple_packages" },
      {
        given: { packages: [{ count: 1, weight: { value: 1_000_000, unit: "g" } }] },
        params: { weight: { value: 1, unit: "kg" }, weight_mode: "add" },
        code: "too_heavy",
      },
    ],
  },
  validate_address: {
    applied: [
      { gives: { addressStatus: "valid" } },
      {
        params: { carrier_account_id: accountIds.demo },
        gives: { addressStatus: "valid", shippingAddress: { ...anOrder().shippingAddress, residential: true } },
      },
      { given: { holds: [aHold(), systemHold] }, gives: { addressStatus: "valid", holds: [aHold()] } },
      {
        given: { shippingAddress: { ...anOrder().shippingAddress, city: " Spring  field ", countryCode: "us" } },
        params: { mode: "validate_and_normalize" },
        gives: { shippingAddress: { ...anOrder().shippingAddress, city: "Spring field" } },
      },
      // As imports of files do it.
      {
        given: {
          shippingAddress: {
            address1: "1 Beacon St",
            city: "Boston",
            province: "massachusetts",
            zip: "021081234",
            country: "usa",
          },
        },
        params: { mode: "validate_and_normalize" },
        gives: {
          addressStatus: "valid",
          shippingAddress: {
            address1: "1 Beacon St",
            city: "Boston",
            province: "massachusetts",
            provinceCode: "MA",
            zip: "02108-1234",
            country: "usa",
            countryCode: "US",
          },
        },
      },
      {
        given: { shippingAddress: null },
        params: { on_failure: "hold" },
        gives: {
          addressStatus: "invalid",
          holds: [{ handle: "address_validation", reason: "incorrect_address", source: "system" }],
        },
        warning: "address_invalid",
      },
      {
        given: { shippingAddress: {} },
        params: { on_failure: "warn" },
        gives: { addressStatus: "invalid", holds: [] },
        warning: "address_invalid",
      },
    ],
    unchanged: [
      { given: { addressStatus: "valid" } },
      {
        given: { shippingAddress: null, addressStatus: "invalid", holds: [systemHold] },
        params: { on_failure: "hold" },
        warning: "address_invalid",
      },
    ],
    blocked: [
      { given: { shippingAddress: null }, code: "address_invalid" },
      {
        given: { shippingAddress: { ...anOrder().shippingAddress, city: "Boston", provinceCode: "MA", zip: "90210" } },
        code: "address_invalid",
      },
      { given: { shippingAddress: null, holds: fullHolds }, params: { on_failure: "hold" }, code: "too_many_holds" },
    ],
  },
  update_address: {
    applied: [
      {
        given: { addressStatus: "valid" },
        params: { address: { name: "", city: "Peoria" } },
        gives: {
          addressStatus: "unverified",
          shippingAddress: {
            address1: "5 Main Street",
            city: "Peoria",
            provinceCode: "IL",
            zip: "62701",
            countryCode: "US",
          },
        },
      },
      {
        given: { shippingAddress: null, status: "sent" },
        params: { address: { city: "Peoria" } },
        gives: { shippingAddress: { city: "Peoria" } },
        warning: "already_sent",
      },
    ],
    unchanged: [{ given: { addressStatus: "valid" }, params: { address: { city: "Springfield", company: "" } } }],
    blocked: [{ given: entirely, params: { address: { city: "Peoria" } }, code: "invalid_state" }],
  },
  mark_shipped: {
    applied: [
      {
        params: { tracking_number: "T1" },
        gives: {
          status: "shipped",
          lines: withLines(["line-a", 3, 3], ["line-b", 2, 2]),
          shipments: [{ trackingNumber: "T1", carrier: "ups", shippedAt: now }],
        },
      },
      {
        given: { status: "sent" },
        params: { line_items: [{ id: "line-b", quantity: 2 }], ship_date: "2026-03-01T00:00:00Z" },
        gives: { status: "partially_shipped", lines: withLines(["line-a", 3, 0], ["line-b", 2, 2]) },
      },
      { given: partly, params: { tracking_number: "T1" }, gives: { status: "shipped" } },
      { given: { lines: [] }, gives: { status: "shipped", shipments: [{ lines: [] }] } },
      {
        given: { holds: [aHold()] },
        params: { override_holds: true },
        mayOverride: true,
        gives: { status: "shipped" },
      },
    ],
    unchanged: [
      { given: entirely, params: { tracking_number: "T1" } },
      { given: entirely, params: { tracking_number: "T2" }, warning: "already_shipped" },
      { given: partly, params: { tracking_number: "T1", line_items: [{ id: "line-a", quantity: 1 }] } },
    ],
    blocked: [
      { given: { holds: [aHold()] }, code: "on_hold" },
      { given: { status: "new" }, code: "invalid_state" },
      { given: partly, params: { line_items: [{ id: "line-a", quantity: 3 }] }, code: "quantity_exceeds_remaining" },
      { params: { line_items: [{ id: "line-x", quantity: 1 }] }, code: "line_not_found" },
    ],
  },
  mark_unshipped: {
    applied: [
      {
        given: partly,
        params: { reason: "lost" },
        gives: {
          status: "ready",
          lines: withLines(["line-a", 3, 0]),
          shipments: [],
          notes: noted("Marked as unshipped: lost"),
        },
      },
      { given: entirely, gives: { status: "ready", shipments: [], notes: [] } },
    ],
    unchanged: [{ params: { reason: "lost" } }],
    blocked: [{ given: { ...entirely, status: "delivered" }, code: "invalid_state" }],
  },
  mark_paid: {
    applied: [
      {
        given: { status: "awaiting_payment", paymentStatus: "pending" },
        params: { reference: "R1", paid_at: "2026-03-01T00:00:00Z" },
        gives: { status: "ready", paymentStatus: "paid", notes: noted("Paid at 2026-03-01T00:00:00.000Z (R1)") },
      },
      {
        given: { paymentStatus: "pending" },
        params: { method: "cash", reference: "R1" },
        gives: { notes: noted("Paid by cash (R1)") },
      },
      { given: { paymentStatus: "authorized" }, gives: { status: "ready", paymentStatus: "paid", notes: [] } },
    ],
    unchanged: [{ params: { reference: "R1" } }],
    blocked: [
      { given: { paymentStatus: "refunded" }, code: "invalid_payment_status" },
      { given: { status: "cancelled" }, code: "invalid_state" },
    ],
  },
};
