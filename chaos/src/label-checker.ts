import type { CarrierJournal, CarrierName, Sale } from "./label-carriers.ts";
import type { LabelEntry } from "./label-workload.ts";

/** A label as the API of the hub shows it. */
export type SeenLabel = {
  id: string;
  status: string;
  carrier: string;
  reference: string | null;
  trackingNumber: string | null;
  cost: number | null;
  isVoidPending: boolean;
  contentBytes: number | null;
  failure: { code: string } | null;
};

/** Each list must be empty. */
type LabelFindings = {
  /** Acknowledged or paid for, and not there. */
  lost: string[];
  /** Bought more than once. */
  doubled: string[];
  /** The hub and the carrier disagree about what was charged or voided. */
  wrongCharges: string[];
  broken: string[];
};

export type LabelCheck = {
  findings: LabelFindings;
  purchased: number;
  voided: number;
  failed: number;
  withoutFile: number;
  withoutPrice: number;
  chargedCents: number;
};

/** A recovered label of this carrier has no price. */
const mayLackPrice: CarrierName = "ups";

/**
 * Compares what clients wanted and hubs acknowledged with the labels that the API shows and the journals of the carriers. Uses
 * no code of the hub. `files`: sizes of the label files that could be downloaded, by label ID.
 */
export function checkLabels(
  entries: readonly LabelEntry[],
  labels: readonly SeenLabel[],
  journal: CarrierJournal,
  files: ReadonlyMap<string, number>,
): LabelCheck {
  const findings: LabelFindings = { lost: [], doubled: [], wrongCharges: [], broken: [] };
  const check = { findings, purchased: 0, voided: 0, failed: 0, withoutFile: 0, withoutPrice: 0, chargedCents: 0 };
  findings.broken.push(...journal.unreadable.map((line) => `a sale that no request wanted: ${line}`));
  checkSales(entries, labels, journal.sales, findings);
  checkAcknowledged(entries, labels, findings);
  const sales = new Map(journal.sales.map((sale) => [sale.trackingNumber, sale]));
  const marked = new Set(entries.flatMap((entry) => (entry.type === "marked" ? [entry.labelId] : [])));
  for (const label of labels) {
    if (!checkLabel(label, sales.get(label.trackingNumber ?? ""), journal, check)) continue;
    checkFile(label, files, marked, check);
  }
  return check;
}

function checkSales(
  entries: readonly LabelEntry[],
  labels: readonly SeenLabel[],
  sales: readonly Sale[],
  findings: LabelFindings,
): void {
  const wanted = new Set(entries.flatMap((entry) => (entry.type === "wanted" ? [entry.wanted] : [])));
  const numbers = new Set(labels.map(({ trackingNumber }) => trackingNumber));
  for (const [reference, same] of Map.groupBy(sales, (sale) => sale.wanted)) {
    const list = same.map(({ carrier, trackingNumber }) => `${carrier} ${trackingNumber}`).join(", ");
    if (same.length > 1) findings.doubled.push(`${reference} was bought ${same.length} times: ${list}`);
    if (!wanted.has(reference)) findings.broken.push(`${reference} was bought, and no client wanted it`);
    for (const { trackingNumber } of same)
      if (!numbers.has(trackingNumber))
        findings.lost.push(`${reference}: ${trackingNumber} was paid for, and no label has it`);
  }
  for (const [reference, same] of Map.groupBy(labels, (label) => label.reference ?? "")) {
    if (same.length > 1)
      findings.doubled.push(`${reference} has ${same.length} labels: ${same.map(({ id }) => id).join(", ")}`);
    if (!wanted.has(reference))
      findings.broken.push(`label ${same[0]!.id} has the reference ${reference}, which no client wanted`);
  }
  for (const [number, same] of Map.groupBy(labels, (label) => label.trackingNumber))
    if (number !== null && same.length > 1)
      findings.doubled.push(`${same.length} labels have the tracking number ${number}`);
}

function checkAcknowledged(
  entries: readonly LabelEntry[],
  labels: readonly SeenLabel[],
  findings: LabelFindings,
): void {
  const byId = new Map(labels.map((label) => [label.id, label]));
  const ids = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "label" && entry.type !== "voided") continue;
    const { labelId } = entry;
    const label = byId.get(labelId);
    if (!label) findings.lost.push(`label ${labelId} was acknowledged and is not there`);
    else if (entry.type === "voided" && label.status !== "voided")
      findings.lost.push(`the void of ${labelId} was acknowledged, and the label is ${label.status}`);
    else if (entry.type === "label" && entry.trackingNumber !== null && entry.trackingNumber !== label.trackingNumber)
      findings.lost.push(
        `${labelId} was acknowledged as ${entry.trackingNumber} and is ${String(label.trackingNumber)}`,
      );
    if (entry.type !== "label") continue;
    const before = ids.get(entry.key);
    if (before !== undefined && before !== labelId) findings.doubled.push(`${entry.key}: labels ${before}, ${labelId}`);
    ids.set(entry.key, labelId);
  }
  const byReference = new Map(labels.map((label) => [label.reference, label]));
  for (const entry of entries) {
    if (entry.type !== "rejected") continue;
    const label = byReference.get(entry.wanted);
    if (label && label.status !== "failed") findings.broken.push(`${entry.wanted} was rejected and is ${label.status}`);
  }
}

/** Whether the label was sold. */
function checkLabel(label: SeenLabel, sale: Sale | undefined, { voided }: CarrierJournal, check: LabelCheck): boolean {
  const { findings } = check;
  const { id, status, trackingNumber, cost, failure } = label;
  const named = `${label.reference} (${id})`;
  if (status === "failed") check.failed++;
  if (status === "failed" && failure?.code === "outcome_unknown") findings.broken.push(`${named} is still unknown`);
  // A sale of a label that failed is reported by `checkSales`: no label has its tracking number.
  if (status !== "purchased" && status !== "voided") {
    if (status !== "failed") findings.broken.push(`${named} is still ${status}`);
    return false;
  }
  if (!sale || sale.wanted !== label.reference) {
    findings.lost.push(`${named} is ${status} as ${String(trackingNumber)}, which the carrier did not sell for it`);
    return false;
  }
  check[status]++;
  check.chargedCents += sale.cents;
  if (cost === null) {
    check.withoutPrice++;
    if (label.carrier !== mayLackPrice)
      findings.wrongCharges.push(`${named} has no price; ${sale.cents} cents were charged`);
  } else if (Math.round(cost * 100) !== sale.cents)
    findings.wrongCharges.push(`${named} has the price ${cost}; ${sale.cents} cents were charged`);
  if (label.isVoidPending) findings.broken.push(`the void of ${named} is still pending`);
  if (status === "voided" && !voided.has(sale.trackingNumber))
    findings.wrongCharges.push(`${named} is voided here, but not at the carrier`);
  if (status === "purchased" && voided.has(sale.trackingNumber))
    findings.wrongCharges.push(`${named} was voided at the carrier and is purchased`);
  return true;
}

function checkFile(
  { id, reference, status, contentBytes, failure }: SeenLabel,
  files: ReadonlyMap<string, number>,
  marked: ReadonlySet<string>,
  check: LabelCheck,
): void {
  if (status !== "purchased") return;
  const { lost } = check.findings;
  if (contentBytes !== null) {
    if (files.get(id) !== contentBytes)
      lost.push(`${reference}: the file of ${contentBytes} bytes cannot be downloaded`);
    return;
  }
  check.withoutFile++;
  // The file of a label that was marked as purchased is at the carrier.
  if (failure === null && !marked.has(id)) lost.push(`${reference} has no file, and the hub does not report it`);
}
