import type { DocumentKind, Paper } from "./documents.queries.ts";

export const kindNames: Record<DocumentKind, string> = {
  labels: "Labels",
  packing_slips: "Packing slips",
  pick_list: "Pick list",
  manifest: "Manifest",
};

export const paperNames: Record<Paper, string> = { "4x6": "4 × 6 in", a6: "A6", a4: "A4", letter: "Letter" };

export const fileNames: Record<DocumentKind, string> = {
  labels: "labels",
  packing_slips: "packing-slips",
  pick_list: "pick-list",
  manifest: "manifest",
};

export const sortNames: ReadonlyArray<{ value: "given" | "sku" | "location" | "created"; label: string }> = [
  { value: "given", label: "As listed" },
  { value: "sku", label: "SKU" },
  { value: "location", label: "Location" },
  { value: "created", label: "Oldest first" },
];
