import type { CarrierCall } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { centsOf } from "../seam/money.ts";
import { asNumber, asObject } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { get } from "./easypost-api.ts";

export type InsuranceFee = { cents: number; explanation: string };

/** `rate`: share of the insured value. In US dollars. */
type Terms = { rate: number; minimum: number };

/** What EasyPost publishes. Accounts may have other terms, which a test key cannot read. */
const published: Terms = { rate: 0.01, minimum: 1 };
const hourMs = 3_600_000;

/** What EasyPost charges for insurance beside the postage. Its rates do not contain it. */
export async function insuranceFee(call: CarrierCall, insured: string): Promise<InsuranceFee> {
  const { rate, minimum } = await termsOf(call);
  const dollars = Math.max(Number(insured) * rate, minimum);
  const explanation = `${Number((rate * 100).toFixed(4))}% of ${insured} USD, at least ${minimum.toFixed(2)} USD`;
  return { cents: Number(insured) === 0 ? 0 : centsOf(dollars.toFixed(5), "USD"), explanation };
}

/** Kept with the tokens of the account, so that the prices of many orders ask once. */
async function termsOf(call: CarrierCall): Promise<Terms> {
  const kept = await call.token("insurance", async () => {
    const value = JSON.stringify(await findTerms(call));
    return { value, lifetimeMs: 12 * hourMs };
  });
  return readTerms(asObject(JSON.parse(kept.value)).rate, asObject(JSON.parse(kept.value)).minimum) ?? published;
}

async function findTerms(call: CarrierCall): Promise<Terms> {
  let user: Json;
  try {
    user = await get(call, "/v2/users");
  } catch (error) {
    // Test keys and restricted keys may not read the account: its prices are those that are published, as far as is known.
    if (error instanceof RemoteError && !error.retryable) return published;
    throw error;
  }
  return readTerms(user.insurance_fee_rate, user.insurance_fee_minimum) ?? published;
}

function readTerms(rate: unknown, minimum: unknown): Terms | undefined {
  const [share, least] = [asNumber(rate), asNumber(minimum)];
  if (share === undefined || least === undefined || share < 0 || share > 1 || least < 0) return undefined;
  return { rate: share, minimum: least };
}
