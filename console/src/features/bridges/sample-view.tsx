import { Heading } from "../../ui/card.tsx";
import { valueText } from "../../ui/change-text.ts";
import { FactList } from "../../ui/facts.tsx";
import { fieldName, words } from "../../ui/format.ts";
import { JsonView } from "../../ui/json-view.tsx";

/** A record of the other system beside the hub record that would result. */
export function SampleView({ source, output }: { source: object; output: Record<string, unknown> }) {
  return (
    <div className="mt-2 grid items-start gap-3.5 lg:grid-cols-2">
      <div className="min-w-0">
        <Heading title="As received" />
        <JsonView label="As received" value={source} className="max-h-96" />
      </div>
      <div className="min-w-0">
        <Heading title="As imported" />
        <FactList facts={factsOf(output)} />
      </div>
    </div>
  );
}

function factsOf(output: Record<string, unknown>): Array<[string, string]> {
  return Object.entries(output)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => [fieldName(name).replace(/^./, (first) => first.toUpperCase()), partsText(value)]);
}

/** All filled parts of an address or customer. */
function partsText(value: unknown): string {
  if (typeof value === "string" && /^[a-z]+(_[a-z]+)+$/.test(value)) return words(value);
  if (typeof value !== "object" || value === null) return valueText(value);
  if (Array.isArray(value)) return value.map(partsText).join("; ") || "none";
  const { sku, quantity, name } = value as { sku?: unknown; quantity?: unknown; name?: unknown };
  if (typeof sku === "string" && quantity !== undefined)
    return [`${valueText(quantity)} × ${sku}`, name].filter(Boolean).join(" ");
  return Object.values(value)
    .filter((one) => one !== null && one !== undefined && one !== "")
    .map((one) => valueText(one))
    .join(", ");
}
