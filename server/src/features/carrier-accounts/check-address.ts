import type { AddressCheck } from "../../carriers/seam/address-check.ts";
import type { Carrier, CarrierCall } from "../../carriers/seam/carrier.ts";
import { Address, addressTexts } from "../../core/address.ts";
import { cutText } from "../../core/cut-text.ts";
import { HubError } from "../../core/errors.ts";
import { cleanText } from "../../core/strict-json.ts";
import { findErrorsIn } from "../../core/validation.ts";
import type { Ctx } from "../../context.ts";
import type { AddressCheckAnswer } from "./carrier-accounts.schemas.ts";
import { inputErrors } from "./input-errors.ts";
import type { CarrierResponse, OpenCarrier } from "./open-carrier.ts";
import { callCarrier, concurrencyOf, openCarrier, singleCall } from "./open-carrier.ts";

export type AddressChecker = {
  /** Calls at the same time. */
  concurrency: number;
  check(address: Address, signal?: AbortSignal): Promise<CarrierResponse<AddressCheckAnswer>>;
};

/** An account whose carrier checks addresses. Open it once for any number of addresses. */
export async function openAddressChecker(ctx: Ctx, accountId: string): Promise<AddressChecker> {
  const open = await openCarrier(ctx, accountId);
  const { carrier } = open;
  if (!carrier.checkAddress) throw new HubError("invalid_state", `${carrier.title} does not check addresses.`);
  return { concurrency: concurrencyOf(carrier), check: (address, signal) => check(ctx, open, address, signal) };
}

/** Asks the carrier about one address. Nothing is stored. */
export async function checkAddress(ctx: Ctx, accountId: string, address: Address): Promise<AddressCheckAnswer> {
  const checker = await openAddressChecker(ctx, accountId);
  const response = await checker.check(address);
  if ("done" in response) return response.done;
  if ("unknown" in response) throw new HubError("carrier_failed", response.unknown);
  const { message } = response.rejected;
  const errors = inputErrors(response, { from: "/address", to: "/address" });
  if (errors.length > 0) throw new HubError("validation_failed", message, { errors });
  throw new HubError("carrier_failed", message);
}

async function check(
  ctx: Ctx,
  open: OpenCarrier,
  address: Address,
  signal: AbortSignal | undefined,
): Promise<CarrierResponse<AddressCheckAnswer>> {
  const { residential: _residential, ...place } = address;
  const ask = async (carrier: Carrier, call: CarrierCall): Promise<AddressCheckAnswer> =>
    readCheck(await carrier.checkAddress!(call, place));
  return await callCarrier(ctx, open, "checkAddress", singleCall(ctx.newId()), ask, signal);
}

const maxMessages = 10;

/** Carriers' responses are untrusted input: an address that the hub could not store counts as not corrected. */
function readCheck({ verdict, address, residential, messages }: AddressCheck): AddressCheckAnswer {
  const clean = address && cleaned(address);
  const isUsable = clean !== undefined && findErrorsIn(Address, clean).length === 0;
  return {
    verdict: verdict === "corrected" && !isUsable ? "unknown" : verdict,
    address: verdict === "corrected" && isUsable ? clean : null,
    residential,
    messages: messages.slice(0, maxMessages).map((message) => cutText(cleanText(message), 300)),
  };
}

function cleaned(address: Address): Address {
  const texts = addressTexts.flatMap((member) => {
    const text = address[member];
    return text === undefined || text === "" ? [] : [[member, cleanText(text)]];
  });
  return Object.fromEntries(texts) as Address;
}
