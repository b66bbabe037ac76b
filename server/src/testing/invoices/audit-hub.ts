import { randomUUID } from "node:crypto";
import type { TestOrg } from "../test-hub.ts";
import { auditCards } from "./audit-book.ts";
import type { BookInvoice, BookParcel } from "./invoice-book.ts";

type FoundFinding = {
  id: string;
  trackingNumber: string;
  kind: string;
  code: string | null;
  amount: number;
  creditedAmount: number;
  state: string;
  confidence: string;
  evidence: { rule: string; billed: number; expected: number; values: Record<string, unknown> };
  version: number;
};

/** An account with the contract of audit-book.ts, or with these cards. */
export async function auditAccount(org: TestOrg, cards: object[] = auditCards("lb")): Promise<string> {
  const { body } = await org.post("/carrier-accounts", { name: `Contract ${randomUUID()}`, carrier: "rate-card" });
  for (const card of cards) {
    const answer = await org.post(`/carrier-accounts/${body.id}/rate-cards`, { card });
    if (answer.status !== 201) throw new Error(answer.text);
  }
  return body.id;
}

export const auditInvoice = (number: string, parcels: BookParcel[], day = "2026-05-01"): BookInvoice => ({
  number,
  account: "A1B2C3",
  day,
  parcels,
  fees: [],
  error: 0,
});

/** Imports a file with one invoice and audits it. */
export async function audited(org: TestOrg, csv: string, carrierAccountId?: string): Promise<string> {
  const answer = await org.post("/invoices/import", { csv, ...(carrierAccountId && { carrierAccountId }) });
  if (answer.status !== 200) throw new Error(answer.text);
  const { id } = answer.body.invoices[0];
  const { body } = await org.post(`/invoices/${id}/audit`, {});
  if (body.status !== "completed") throw new Error(`The audit is ${body.status}.`);
  return id;
}

export async function findingsOf(org: TestOrg, id: string, query = ""): Promise<FoundFinding[]> {
  return (await org.get(`/invoices/${id}/findings?limit=1000${query}`)).body.data;
}

/** Such as "1Z1 duplicate 1800 low". */
export async function saidOf(org: TestOrg, id: string): Promise<string[]> {
  const found = await findingsOf(org, id);
  return found
    .map(({ trackingNumber, kind, amount, confidence }) =>
      [trackingNumber, kind, Math.round(amount * 100), confidence].join(" "),
    )
    .toSorted();
}
