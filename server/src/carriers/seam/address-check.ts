import type { Address } from "../../core/address.ts";

/** `corrected`: deliverable with the changes in `address`. `unknown`: the carrier could not decide. */
export type AddressCheck = {
  verdict: "valid" | "corrected" | "invalid" | "unknown";
  address?: Address;
  /** Null: unknown. */
  residential: boolean | null;
  messages: string[];
};
