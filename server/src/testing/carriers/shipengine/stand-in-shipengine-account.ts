import { checkAddresses } from "./stand-in-shipengine-bodies.ts";
import { shipengineCarriers } from "./stand-in-shipengine-services.ts";
import { errorBody, refuse } from "./stand-in-shipengine-world.ts";
import type { CarrierReply, Operation, StandIn } from "../stand-in-api.ts";

/** One result for each address, in the same order: found, not found, or found with a flaw. */
function validateAddresses(standIn: StandIn, body: unknown): CarrierReply {
  const { value, problems } = checkAddresses(body);
  if (problems) return refuse(problems);
  const results = value.map((given) => {
    const empty = {
      phone: null,
      company_name: null,
      address_line2: null,
      address_line3: null,
      name: null,
      postal_code: null,
    };
    const original = { ...empty, address_residential_indicator: "unknown", ...given };
    const message = (code: string, text: string, type: string, detail_code: string) => ({
      code,
      message: text,
      type,
      detail_code,
    });
    if (given.country_code !== "US") {
      const messages = [message("a1001", "The country is not supported.", "error", "unsupported_country")];
      return { status: "unverified", original_address: original, matched_address: null, messages };
    }
    if (!/\d/.test(given.address_line1)) {
      const messages = [message("a1004", "The house number is missing.", "error", "missing_house_number")];
      return { status: "error", original_address: original, matched_address: null, messages };
    }
    const upper = (text: string | null | undefined): string | null => text?.toUpperCase() ?? null;
    const zip = given.postal_code ?? "";
    const matched = {
      ...original,
      name: upper(given.name),
      company_name: upper(given.company_name),
      address_line1: upper(given.address_line1),
      address_line2: upper(given.address_line2),
      city_locality: upper(given.city_locality),
      postal_code: zip.length === 5 ? `${zip}-0007` : zip,
      address_residential_indicator: given.company_name ? "no" : "yes",
    };
    return { status: "verified", original_address: original, matched_address: matched, messages: [] };
  });
  return { status: 200, body: standIn.takeFault("one_object", "check_address") ? results[0] : results };
}

const listedCarriers = shipengineCarriers.map(({ id, code, name, takesSeveralPackages, services }, index) => ({
  carrier_id: id,
  carrier_code: code,
  account_number: `test_account_${id.slice(3)}`,
  requires_funded_amount: code === "stamps_com",
  balance: code === "stamps_com" ? 100 : 0,
  nickname: `${name} account`,
  friendly_name: name,
  primary: index === 0,
  has_multi_package_supporting_services: takesSeveralPackages,
  allows_returns: true,
  supports_label_messages: true,
  disabled_by_billing_plan: false,
  services: services.map((service) => ({
    carrier_id: id,
    carrier_code: code,
    service_code: service.code,
    name: service.name,
    domestic: true,
    international: false,
    is_multi_package_supported: takesSeveralPackages,
    is_return_supported: true,
  })),
  packages: [{ package_id: null, package_code: "package", name: "Package", description: "Package" }],
  options: [{ name: "saturday_delivery", default_value: "false", description: "Saturday delivery" }],
  send_rates: true,
  supports_user_managed_rates: false,
  connection_status: "approved",
}));

export function accountOperations(): Operation[] {
  return [
    {
      name: "check_address",
      method: "POST",
      path: /^\/v1\/addresses\/validate$/,
      answer: (request, _match, standIn) => validateAddresses(standIn, request.json()),
    },
    {
      name: "account",
      method: "GET",
      path: /^\/v1\/carriers$/,
      answer: () => ({ status: 200, body: { carriers: listedCarriers, ...errorBody([]) } }),
    },
  ];
}
