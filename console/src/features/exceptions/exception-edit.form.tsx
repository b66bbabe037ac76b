import type { Transformation } from "@order-operations-hub/sdk/api-types";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Heading, Skeleton } from "../../ui/card.tsx";
import { fieldName, sentence } from "../../ui/format.ts";
import { valueAt, withValueAt } from "../../ui/json-pointer.ts";
import { TextField } from "../../ui/text-field.tsx";
import type { LookupMiss } from "./lookup-miss.ts";
import { plainText, problemsIn, recordOf } from "./exception-record.tsx";
import type { Exception, FixRequest } from "./exceptions.queries.ts";
import { loadPart } from "../../ui/load-part.ts";

// Loaded on demand: the editor is half the size of everything else.
const JsonField = lazy(
  loadPart(async () => ({ default: (await import("../../ui/schema-form/json-field.tsx")).JsonField })),
);

type Data = Record<string, unknown>;
type Props = {
  exception: Exception;
  /** The mapping of the record: it converts the record as received, so that one is edited. */
  mapping: Transformation | undefined;
  misses: readonly LookupMiss[];
  isBusy: boolean;
  onSave(record: NonNullable<FixRequest["record"]>): void;
  onCancel(): void;
};

/** Corrects a rejected record: a form for the invalid fields, or JSON for the whole record. */
export function EditRecord({ exception, mapping, misses, isBusy, onSave, onCancel }: Props) {
  const record = recordOf(exception);
  const part = record?.canonical && !mapping ? "canonical" : "raw";
  const before = record?.[part] ?? {};
  const [draft, setDraft] = useState<Data>(before);
  const fields = [...missedFields(misses), ...(mapping ? [] : problemsIn(exception.details["errors"]))].filter(
    ({ pointer }) => pointer !== "" && isLeaf(valueAt(before, pointer)),
  );
  const [isData, setData] = useState(fields.length === 0);
  return (
    <form
      aria-label="Correct the record"
      className="flex flex-col gap-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSave(part === "raw" ? { raw: draft } : { canonical: draft });
      }}
    >
      <Heading title="Correct the record" note={part === "raw" ? "as received" : "as the hub reads it"}>
        {fields.length > 0 && (
          <Button kind="quiet" onClick={() => setData(!isData)}>
            {isData ? "Show only invalid fields" : "Edit as JSON"}
          </Button>
        )}
      </Heading>
      {isData ? (
        <Suspense fallback={<Skeleton rows={8} />}>
          <JsonField
            label="Record"
            hint={undefined}
            error={undefined}
            value={draft}
            onChange={(next) => setDraft((next ?? {}) as Data)}
          />
        </Suspense>
      ) : (
        fields.map(({ pointer, message }) => (
          <TextField
            key={pointer}
            label={sentence(fieldName(pointer))}
            hint={message}
            value={plainText(valueAt(draft, pointer))}
            onChange={(typed) =>
              setDraft(withValueAt(draft, pointer, valueOf(typed, valueAt(before, pointer), message)) as Data)
            }
          />
        ))
      )}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Save and retry
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

/** Fields whose value has no entry in a table, with the values that have one. */
function missedFields(misses: readonly LookupMiss[]): Array<{ pointer: string; message: string }> {
  return misses.flatMap(({ source, value, entries }) =>
    source === undefined
      ? []
      : [{ pointer: source, message: `“${value}” is unknown. Known values: ${Object.keys(entries).join(", ")}` }],
  );
}

const isLeaf = (value: unknown): boolean => typeof value !== "object" || value === null;

/** Converts the text to the type that the error names, or that the value had before. */
function valueOf(typed: string, before: unknown, problem: string): unknown {
  const isWanted = typeof before === "number" || /\b(number|integer)\b/i.test(problem);
  return isWanted && typed.trim() !== "" && Number.isFinite(Number(typed)) ? Number(typed) : typed;
}
