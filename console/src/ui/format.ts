const counts = new Intl.NumberFormat("en-US");
const plurals = new Intl.PluralRules("en-US");

export const formatCount = (count: number): string => counts.format(count);

/** Cached because creating a format is slower than rendering a row. Undefined: not a valid currency code. */
const moneyFormats = new Map<string, Intl.NumberFormat | undefined>();

function moneyFormatOf(currency: string): Intl.NumberFormat | undefined {
  if (!moneyFormats.has(currency)) moneyFormats.set(currency, makeMoneyFormat(currency));
  return moneyFormats.get(currency);
}

function makeMoneyFormat(currency: string): Intl.NumberFormat | undefined {
  try {
    return new Intl.NumberFormat("en-US", { style: "currency", currency });
  } catch {
    return undefined;
  }
}

export function formatMoney(amount: number | null | undefined, currency: string): string {
  if (amount === null || amount === undefined) return "–";
  return moneyFormatOf(currency)?.format(amount) ?? `${counts.format(amount)} ${currency}`;
}

/** "1 order", "2 orders", "12,431 orders". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${plurals.select(count) === "one" ? one : many}`;
}

/** "partly shipped" for "partially_shipped": one word for it on every page. */
export function words(name: string): string {
  return name
    .replaceAll("partially_", "partly_")
    .replaceAll("_", " ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

export function sentence(name: string): string {
  const text = words(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const fieldNames: Record<string, string> = {
  lines: "items",
  address1: "address line 1",
  address2: "address line 2",
  province: "state",
  provinceCode: "state",
  zip: "ZIP",
  countryCode: "country",
};

/** Readable name of a pointer such as "/shippingAddress". */
export function fieldName(path: string): string {
  return path
    .split(/[./]/)
    .filter(Boolean)
    .map((part) => fieldNames[part] ?? words(part))
    .join(" ");
}

export function formatMs(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
