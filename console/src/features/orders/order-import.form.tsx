import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Card, Heading } from "../../ui/card.tsx";
import { Fold } from "../../ui/fold.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { BuiltInPreset, ImportPreset } from "../import-presets/import-presets.queries.ts";
import { builtInPresetsQuery, importPresetsQuery } from "../import-presets/import-presets.queries.ts";
import { SavePreset } from "./import-preset-save.tsx";
import type { ImportAnswer, Reading } from "./order-import.queries.ts";
import { existingTexts, readingTexts } from "./order-import.text.ts";

type Props = {
  reading: Reading;
  /** Undefined while the file is read, or when it cannot be read with these settings. */
  answer: ImportAnswer | undefined;
  isLooking: boolean;
  onChange(reading: Reading): void;
};

/** Preset, delimiter and formats of the file, which can be saved as a preset. */
export function ReadingForm({ reading, answer, isLooking, onChange }: Props) {
  const { data: own = [] } = useQuery(importPresetsQuery);
  const { data: builtIn = [] } = useQuery(builtInPresetsQuery);
  const saved = own.find(({ id }) => id === reading.preset);
  const set = (name: Exclude<keyof Reading, "mapping" | "strict">, value: string): void => {
    const { [name]: _old, ...rest } = reading;
    onChange({ ...rest, mapping: reading.mapping, ...(value ? { [name]: value } : {}) });
  };
  /** Manual changes applied to the other preset. */
  const readAs = (preset: string): void => {
    const { preset: _old, ...rest } = reading;
    onChange({ ...rest, mapping: {}, ...(preset ? { preset } : {}) });
  };
  /** The preset contains the manual changes now. */
  const takeSaved = (preset: string): void => {
    const { onExisting, encoding, strict } = reading;
    onChange({
      mapping: {},
      ...(preset ? { preset } : {}),
      ...(onExisting ? { onExisting } : {}),
      ...(encoding ? { encoding } : {}),
      ...(strict === undefined ? {} : { strict }),
    });
  };
  const fromPreset: ImportPreset["settings"] = saved?.settings ?? {};
  return (
    <Card className="px-3 py-2.5" label="File format">
      <Heading title="File format" />
      <div className="flex flex-col gap-2.5">
        <Select
          label="Preset"
          value={reading.preset ?? ""}
          options={[
            { value: "", label: "Detect automatically" },
            ...own.map(({ id, name }) => ({ value: id, label: name, note: "saved" })),
            ...builtIn.map(({ name, title }) => ({ value: name, label: title })),
            { value: "none", label: "None" },
          ]}
          onChange={readAs}
        />
        <p className="text-sm text-muted">
          {answer
            ? readAsText(reading, answer, saved, builtIn)
            : isLooking
              ? "Reading the file."
              : "The file cannot be read with these settings."}
        </p>
        <Select
          label="If the order number exists"
          value={reading.onExisting ?? "reject"}
          options={optionsOf(existingTexts)}
          onChange={(next) => set("onExisting", next === "reject" ? "" : next)}
        />
        <div>
          <Switch
            label="Strict import"
            isOn={reading.strict ?? fromPreset.strict ?? false}
            onChange={(strict) => onChange({ ...reading, strict })}
          />
          <p className="text-sm text-muted">
            Imports the whole file or nothing. Rejects the file if a cell is damaged or its value would have to be
            guessed.
          </p>
        </div>
        <Fold key={saved?.id ?? ""} title="Encoding, number and date formats" isOpenAtFirst={hasSigns(reading)}>
          <div className="flex flex-col gap-2.5">
            <Choice label="Encoding" name="encoding" {...{ reading, fromPreset, set }} />
            <Choice label="Delimiter" name="delimiter" {...{ reading, fromPreset, set }} />
            <Choice label="Decimal separator" name="decimalSeparator" {...{ reading, fromPreset, set }} />
            <Choice label="Date order" name="dateOrder" {...{ reading, fromPreset, set }} />
            <CodeField
              label="Default country"
              hint="Two letters, such as US"
              fromPreset={fromPreset.country}
              length={2}
              value={reading.country ?? ""}
              onChange={(next) => set("country", next)}
            />
            <CodeField
              label="Default currency"
              hint="Three letters, such as EUR"
              fromPreset={fromPreset.currency}
              length={3}
              value={reading.currency ?? ""}
              onChange={(next) => set("currency", next)}
            />
          </div>
        </Fold>
        {answer && <SavePreset reading={reading} answer={answer} saved={saved} onSaved={takeSaved} />}
      </div>
    </Card>
  );
}

const hasSigns = ({ encoding, delimiter, decimalSeparator, dateOrder, country, currency }: Reading): boolean =>
  [encoding, delimiter, decimalSeparator, dateOrder, country, currency].some((fromPreset) => fromPreset !== undefined);

const optionsOf = (texts: Record<string, string>) => Object.entries(texts).map(([value, label]) => ({ value, label }));

function Choice({
  label,
  name,
  reading,
  fromPreset,
  set,
}: {
  label: string;
  name: keyof typeof readingTexts;
  reading: Reading;
  /** Values that the preset sets. */
  fromPreset: { [Name in keyof typeof readingTexts]?: string | undefined };
  set(name: keyof typeof readingTexts, value: string): void;
}) {
  const texts: Record<string, string> = readingTexts[name];
  const usual = texts[fromPreset[name] ?? ""];
  return (
    <Select
      label={label}
      value={reading[name] ?? ""}
      options={[{ value: "", label: usual ? `Preset: ${usual}` : "Detect automatically" }, ...optionsOf(texts)]}
      onChange={(next) => set(name, next)}
    />
  );
}

/** Calls `onChange` when the code is complete or empty. */
function CodeField({
  label,
  hint,
  fromPreset = "",
  length,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  fromPreset: string | undefined;
  length: number;
  value: string;
  onChange(value: string): void;
}) {
  const [typed, setTyped] = useState(value);
  const type = (text: string): void => {
    const next = text.toUpperCase().replaceAll(/[^A-Z]/g, "");
    setTyped(next);
    if (next.length === length || next === "") onChange(next);
  };
  return (
    <TextField label={label} hint={hint} placeholder={fromPreset} value={typed} maxLength={length} onChange={type} />
  );
}

const listed = new Intl.ListFormat("en-US");

/** The detected preset and how it was detected. */
function readAsText(
  { preset }: Reading,
  answer: ImportAnswer,
  saved: ImportPreset | undefined,
  builtIn: readonly BuiltInPreset[],
): string {
  const found = builtIn.find(({ name }) => name === answer.detectedPreset);
  if (preset === "none") return "Columns are matched by name.";
  if (saved)
    return found ? `Saved preset, based on ${found.title}.` : "Saved preset. Other columns are matched by name.";
  if (!found) return "Unknown format. Columns are matched by name.";
  if (preset) return `Read as ${found.title}.`;
  const header = new Set(answer.columns.map(({ column }) => column.toLowerCase()));
  const signs = found.detectedBy.find((names) => names.every((name) => header.has(name.toLowerCase()))) ?? [];
  return `Detected as ${found.title}, by the columns ${listed.format(signs)}.`;
}
