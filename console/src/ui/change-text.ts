import { fieldName, plural, sentence, words } from "./format.ts";

/** A changed field, as in the API. */
export type Change = { path: string; from: unknown; to: unknown };

/** Text of a stored time. */
type TimeText = (at: string) => string;
type Data = Record<string, unknown>;

const isText = (value: unknown): value is string => typeof value === "string";
const isData = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);

/** Short text of a value. Times without `timeText` are in UTC, and say so. */
export function valueText(value: unknown, timeText: TimeText = utcText): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isText(value)) return isTime(value) ? timeText(value) : value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return "none";
    return value.every(isText) ? value.join(", ") : value.map((one) => valueText(one, timeText)).join("; ");
  }
  return objectText(value as Data);
}

function utcText(at: string): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const isTime = (value: string): boolean => /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));

const naming = ["text", "reason", "name", "sku", "trackingNumber", "handle"];

/** Name or text of an object; undefined if it has none. */
function nameOf(value: Data): string | undefined {
  for (const name of naming) {
    const text = value[name];
    if (isText(text) && text) return name === "reason" ? words(text) : text;
  }
  return undefined;
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === "";

/** Name or text of an object, with its quantity, or else its number of fields. */
function objectText(value: Data): string {
  const named = nameOf(value);
  const { quantity } = value;
  if (named !== undefined) return typeof quantity === "number" ? `${quantity} × ${named}` : named;
  const filled = Object.entries(value).filter(([, one]) => !isEmpty(one));
  const simple = filled.filter(([, one]) => typeof one !== "object");
  if (simple.length > 0 && simple.length <= 4)
    return simple.map(([name, one]) => `${words(name)} ${String(one)}`).join(", ");
  return plural(filled.length, "field");
}

const keyOf = (value: unknown): string => {
  const id = isData(value) ? value["id"] : undefined;
  return isText(id) ? id : JSON.stringify(value);
};

/** The members that differ: "quantity 2 to 3, price 18 to 20". */
function differences(from: Data, to: Data, timeText: TimeText): string {
  const isSame = (one: unknown, other: unknown): boolean =>
    (isEmpty(one) && isEmpty(other)) || JSON.stringify(one) === JSON.stringify(other);
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((name) => name !== "id" && !isSame(from[name], to[name]))
    .map((name) => {
      const [before, after] = [from[name], to[name]];
      if ([before, after].some((one) => typeof one === "object" && one !== null)) return `${fieldName(name)} changed`;
      return `${fieldName(name)} ${valueText(before, timeText)} to ${valueText(after, timeText)}`;
    })
    .join(", ");
}

/** Text of a change: "+ vip", "− rush", "low → high". Without a sign the text stands alone: "Mug: quantity 2 to 3". */
export function changeText(
  { path, from, to }: Change,
  timeText: TimeText = utcText,
): { sign: "+" | "−" | "→" | ""; text: string } {
  if (Array.isArray(to) || Array.isArray(from)) return listText(path, from, to, timeText);
  if (isEmpty(from)) return { sign: "+", text: valueText(to, timeText) };
  if (isEmpty(to)) return { sign: "−", text: valueText(from, timeText) };
  if (isData(from) && isData(to)) {
    const text = differences(from, to, timeText);
    return text ? { sign: "", text } : { sign: "", text: "changed" };
  }
  return { sign: "→", text: valueText(to, timeText) };
}

function listText(path: string, from: unknown, to: unknown, timeText: TimeText): ReturnType<typeof changeText> {
  const [before, after] = [from, to].map((list): unknown[] => (Array.isArray(list) ? list : []));
  const [known, kept] = [before, after].map((list) => new Map(list!.map((one) => [keyOf(one), one])));
  const added = after!.filter((one) => !known!.has(keyOf(one))).map((one) => valueText(one, timeText));
  const gone = before!.filter((one) => !kept!.has(keyOf(one))).map((one) => valueText(one, timeText));
  const changed = after!.flatMap((one) => {
    const was = known!.get(keyOf(one));
    if (!isData(one) || !isData(was)) return [];
    const text = differences(was, one, timeText);
    return text ? [`${nameOf(one) ?? sentence(singular(path))}: ${text}`] : [];
  });
  if (added.length > 0 && gone.length + changed.length === 0) return { sign: "+", text: added.join(", ") };
  if (gone.length > 0 && added.length + changed.length === 0) return { sign: "−", text: gone.join(", ") };
  const parts = [...changed, ...added.map((text) => `added ${text}`), ...gone.map((text) => `removed ${text}`)];
  return { sign: "", text: parts.length > 0 ? parts.join("; ") : "in another order" };
}

const singular = (path: string): string => fieldName(path).replace(/s$/, "");
