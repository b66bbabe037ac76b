import { Fold } from "../../ui/fold.tsx";
import { Select } from "../../ui/select.tsx";

type Mapping = Record<string, string | null>;

const fields = [
  { value: "", label: "By its name" },
  { value: "weight", label: "Weight" },
  { value: "unit", label: "Unit of the weight" },
  { value: "service", label: "Service code" },
  { value: "name", label: "Service name" },
  { value: "zone", label: "Zone of the row" },
  { value: "rate", label: "Price of the row" },
  ...Array.from({ length: 9 }, (_, at) => ({ value: `zone:${at + 1}`, label: `Prices of zone ${at + 1}` })),
  { value: "ignore", label: "Ignore" },
];
const mostColumns = 40;

/** Names in the first row. Quoted names may hold the separator. */
export function columnNames(csv: string): string[] {
  const [line = ""] = csv.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/, 1);
  const [separator = ","] = [",", ";", "\t"].toSorted((a, b) => line.split(b).length - line.split(a).length);
  const cells = line.match(new RegExp(`(?:"(?:[^"]|"")*"|[^${separator}])+`, "g")) ?? [];
  return [
    ...new Set(
      cells.map((cell) =>
        cell
          .trim()
          .replace(/^"(.*)"$/s, "$1")
          .replaceAll('""', '"')
          .trim(),
      ),
    ),
  ].filter((name) => name !== "");
}

/** What each column of the file is, where its name does not say so. */
export function CardColumns({
  csv,
  mapping,
  onChange,
}: {
  csv: string;
  mapping: Mapping;
  onChange(next: Mapping): void;
}) {
  const names = columnNames(csv).slice(0, mostColumns);
  const set = (name: string, value: string): void => {
    const { [name]: _former, ...others } = mapping;
    onChange(value === "" ? others : { ...others, [name]: value === "ignore" ? null : value });
  };
  return (
    <Fold title={`Columns of the file (${names.length})`}>
      <div className="grid gap-2 sm:grid-cols-2">
        {names.map((name) => (
          <Select
            key={name}
            label={name}
            value={mapping[name] === null ? "ignore" : (mapping[name] ?? "")}
            options={fields}
            onChange={(value) => set(name, value)}
          />
        ))}
      </div>
    </Fold>
  );
}
