/** Size budgets in KB of compressed JavaScript. Give the reason here when you raise one. */
const budgets = {
  /** Everything that is loaded before the order list is shown. */
  firstLoad: 220,
  /** What a page loads in addition. */
  feature: 40,
  charts: 20,
  /** Loaded on demand, when JSON is edited. */
  editor: 160,
};

const withCharts = ["/components.page.tsx", "/carrier.page.tsx"];

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[]; isEntry?: boolean; src?: string };
type Manifest = Record<string, Chunk>;
type Sizes = Record<string, { gz?: number; size: number }>;

function closureOf(manifest: Manifest, key: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const next of chunk.imports ?? []) closureOf(manifest, next, seen);
  return seen;
}

/** Throws when a budget is exceeded; otherwise returns the sizes. */
export function checkBudgets(files: Sizes, manifest: Manifest): string[] {
  const weigh = (names: Iterable<string>): number =>
    [...names].filter((name) => name.endsWith(".js")).reduce((sum, name) => sum + (files[`/${name}`]?.gz ?? 0), 0) /
    1000;
  const entry = Object.keys(manifest).find((key) => manifest[key]!.isEntry)!;
  const shell = closureOf(manifest, entry);
  const orders = closureOf(manifest, "src/features/orders/orders.page.tsx", new Set(shell));
  const lines: Array<[name: string, weight: number, budget: number]> = [
    ["first load of orders", weigh(orders), budgets.firstLoad],
  ];
  for (const key of Object.keys(manifest).filter((name) => name.endsWith(".page.tsx"))) {
    const own = closureOf(manifest, key).difference(orders);
    lines.push([
      key.replace(/^src\/(features\/)?/, ""),
      weigh(own),
      withCharts.some((page) => key.endsWith(page)) ? budgets.feature + budgets.charts : budgets.feature,
    ]);
  }
  const editor = manifest["src/ui/schema-form/json-field.tsx"];
  if (editor)
    lines.push([
      "JSON editor",
      weigh(closureOf(manifest, "src/ui/schema-form/json-field.tsx").difference(orders)),
      budgets.editor,
    ]);
  const over = lines.filter(([, weight, budget]) => weight > budget);
  if (over.length > 0) {
    throw new Error(
      over
        .map(([name, weight, budget]) => `${name} weighs ${weight.toFixed(1)} KB, its budget is ${budget} KB`)
        .join("; "),
    );
  }
  return lines.map(([name, weight, budget]) => `${name}: ${weight.toFixed(1)} KB of ${budget}`);
}
