import { expect, test } from "vitest";
import type { CarrierJournal, Sale } from "../../../../chaos/src/label-carriers.ts";
import type { SeenLabel } from "../../../../chaos/src/label-checker.ts";
import { checkLabels } from "../../../../chaos/src/label-checker.ts";
import { runLabelSession } from "../../../../chaos/src/label-session.ts";
import type { LabelEntry } from "../../../../chaos/src/label-workload.ts";

// The short form of `npm run chaos -- --labels`: real processes, real kills.
test(
  "labels of three carriers are bought once or reported as unknown, while hubs and carriers die",
  { timeout: 300_000 },
  async () => {
    const session = { seed: 6, kills: 5, nodes: 2, clients: 3, withinMs: 30_000 };
    const { findings, killed, sold } = await runLabelSession(session, () => {});
    expect(findings).toEqual({ lost: [], doubled: [], wrongCharges: [], broken: [] });
    expect(killed.hub + killed.carrier).toBeGreaterThan(1);
    // On a busy machine not every carrier gets a request in so short a time.
    expect(Object.values(sold).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(3);
  },
);

const sale: Sale = { carrier: "usps", wanted: "want-a-1-0", trackingNumber: "T1", cents: 825 };
const label: SeenLabel = {
  id: "L1",
  status: "purchased",
  carrier: "usps",
  reference: "want-a-1-0",
  trackingNumber: "T1",
  cost: 8.25,
  isVoidPending: false,
  contentBytes: 900,
  failure: null,
};
const wanted: LabelEntry = { type: "wanted", wanted: "want-a-1-0", carrier: "usps" };
const bought: LabelEntry = { type: "label", key: "k", wanted: "want-a-1-0", labelId: "L1", trackingNumber: "T1" };

function check({
  entries = [wanted, bought],
  labels = [label],
  sales = [sale],
  voided = [],
}: Partial<{ entries: LabelEntry[]; labels: SeenLabel[]; sales: Sale[]; voided: string[] }>) {
  const journal: CarrierJournal = { sales, voided: new Set(voided), unreadable: [] };
  return checkLabels(entries, labels, journal, new Map([["L1", 900]])).findings;
}

const clean = { lost: [], doubled: [], wrongCharges: [], broken: [] };

test("the checker accepts a label that was bought, voided, rejected or marked as purchased", () => {
  expect(check({})).toEqual(clean);
  const voids: LabelEntry = { type: "voided", labelId: "L1" };
  expect(check({ entries: [wanted, bought, voids], labels: [{ ...label, status: "voided" }], voided: ["T1"] })).toEqual(
    clean,
  );
  const failed = { ...label, status: "failed", trackingNumber: null, cost: null, failure: { code: "not_purchased" } };
  expect(check({ entries: [wanted], labels: [failed], sales: [] })).toEqual(clean);
  const marked: LabelEntry = { type: "marked", labelId: "L1" };
  expect(check({ entries: [wanted, marked], labels: [{ ...label, contentBytes: null }] })).toEqual(clean);
});

test.each<[string, Parameters<typeof check>[0], keyof typeof clean, string]>([
  ["a second sale", { sales: [sale, { ...sale, trackingNumber: "T2" }] }, "doubled", "was bought 2 times"],
  [
    "a sale without a label",
    { labels: [{ ...label, status: "failed", trackingNumber: null }] },
    "lost",
    "was paid for",
  ],
  ["a lost acknowledgement", { entries: [wanted, { ...bought, labelId: "L2" }] }, "lost", "is not there"],
  [
    "another tracking number",
    { entries: [wanted, { ...bought, trackingNumber: "T9" }] },
    "lost",
    "was acknowledged as T9",
  ],
  ["two labels of one key", { entries: [wanted, bought, { ...bought, labelId: "L2" }] }, "doubled", "k: labels L1, L2"],
  ["two labels of one reference", { labels: [label, { ...label, id: "L2" }] }, "doubled", "has 2 labels"],
  ["a label that was not sold", { sales: [] }, "lost", "which the carrier did not sell"],
  ["another price", { labels: [{ ...label, cost: 8.26 }] }, "wrongCharges", "has the price 8.26"],
  ["a missing price", { labels: [{ ...label, cost: null }] }, "wrongCharges", "has no price"],
  [
    "a void that the carrier does not know",
    { labels: [{ ...label, status: "voided" }] },
    "wrongCharges",
    "is voided here, but not at the carrier",
  ],
  ["a void that the hub does not know", { voided: ["T1"] }, "wrongCharges", "was voided at the carrier"],
  ["a lost void", { entries: [wanted, { type: "voided", labelId: "L1" }] }, "lost", "the void of L1"],
  ["a missing file", { labels: [{ ...label, contentBytes: null }] }, "lost", "has no file"],
  ["a file that cannot be downloaded", { labels: [{ ...label, contentBytes: 901 }] }, "lost", "cannot be downloaded"],
  ["an open request", { labels: [{ ...label, status: "requested" }] }, "broken", "is still requested"],
  ["an unwanted label", { entries: [bought] }, "broken", "no client wanted"],
  [
    "a rejected label that exists",
    { entries: [wanted, { type: "rejected", wanted: "want-a-1-0", code: "x" }] },
    "broken",
    "was rejected",
  ],
])("the checker finds %s", (_what, given, list, text) => {
  expect(check(given)[list].join("\n")).toContain(text);
});
