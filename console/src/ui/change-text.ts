import { plural, words } from "./format.ts";

/** A changed field, as in the API. */
export type Change = { path: string; from: unknown; to: unknown };

const isText = (value: unknown): value is string => typeof value === "string";

/** Short text of a value. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isText(value)) return /^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 16).replace("T", " ") : value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return "none";
    return value.every(isText) ? value.join(", ") : value.map((one) => valueText(one)).join("; ");
  }
  return objectText(value as Record<string, unknown>);
}

/** Name or text of an object, or else its number of fields. */
function objectText(value: Record<string, unknown>): string {
  for (const name of ["text", "reason", "name", "sku", "trackingNumber", "handle"]) {
    const text = value[name];
    if (isText(text) && text) return name === "reason" ? words(text) : text;
  }
  const filled = Object.entries(value).filter(([, one]) => one !== null && one !== undefined && one !== "");
  const simple = filled.filter(([, one]) => typeof one !== "object");
  if (simple.length > 0 && simple.length <= 4)
    return simple.map(([name, one]) => `${words(name)} ${String(one)}`).join(", ");
  return plural(filled.length, "field");
}

const keyOf = (value: unknown): string => {
  const id = typeof value === "object" && value !== null ? (value as { id?: unknown }).id : undefined;
  return isText(id) ? id : JSON.stringify(value);
};

/** Text of a change: "+ vip", "− rush", "low → high". */
export function changeText({ path, from, to }: Change): { sign: "+" | "−" | "→"; text: string } {
  if (Array.isArray(to) || Array.isArray(from)) {
    const before = new Set((Array.isArray(from) ? from : []).map(keyOf));
    const after = new Set((Array.isArray(to) ? to : []).map(keyOf));
    const added = (Array.isArray(to) ? to : []).filter((one) => !before.has(keyOf(one)));
    const gone = (Array.isArray(from) ? from : []).filter((one) => !after.has(keyOf(one)));
    if (added.length > 0 && gone.length === 0) return { sign: "+", text: added.map(valueText).join(", ") };
    if (gone.length > 0 && added.length === 0) return { sign: "−", text: gone.map(valueText).join(", ") };
    if (added.length === 0 && gone.length === 0) return { sign: "→", text: `${words(path)} in another way` };
    return { sign: "→", text: added.map(valueText).join(", ") };
  }
  if (from === null || from === undefined) return { sign: "+", text: valueText(to) };
  if (to === null || to === undefined) return { sign: "−", text: valueText(from) };
  return { sign: "→", text: valueText(to) };
}

/** Readable name of a pointer such as "/shippingAddress". */
export function fieldName(path: string): string {
  return words(path.replaceAll(/[./]/g, " ").trim());
}
