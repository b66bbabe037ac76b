import { lazy, Suspense, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Heading, Skeleton } from "../../ui/card.tsx";
import { fieldName } from "../../ui/change-text.ts";
import { sentence } from "../../ui/format.ts";
import { valueAt, withValueAt } from "../../ui/json-pointer.ts";
import { TextField } from "../../ui/text-field.tsx";
import { plainText, problemsIn, recordOf } from "./exception-record.tsx";
import type { Exception, FixRequest } from "./exceptions.queries.ts";

// Loaded on demand: the editor is half the size of everything else.
const JsonField = lazy(async () => ({ default: (await import("../../ui/schema-form/json-field.tsx")).JsonField }));

type Data = Record<string, unknown>;
type Props = {
  exception: Exception;
  isBusy: boolean;
  onSave(record: NonNullable<FixRequest["record"]>): void;
  onCancel(): void;
};

/** Corrects a rejected record: a form for the invalid fields, or JSON for the whole record. */
export function EditRecord({ exception, isBusy, onSave, onCancel }: Props) {
  const record = recordOf(exception);
  const part = record?.canonical ? "canonical" : "raw";
  const before = record?.[part] ?? {};
  const [draft, setDraft] = useState<Data>(before);
  const fields = problemsIn(exception.details["errors"]).filter(
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
      <Heading title="Correct the record" note={part === "raw" ? "as it came" : "as the hub reads it"}>
        {fields.length > 0 && (
          <Button kind="quiet" onClick={() => setData(!isData)}>
            {isData ? "Only what is wrong" : "All of it, as data"}
          </Button>
        )}
      </Heading>
      {isData ? (
        <Suspense fallback={<Skeleton rows={8} />}>
          <JsonField
            label="The record"
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
          Take it so
        </Button>
        <Button onClick={onCancel}>Not now</Button>
      </div>
    </form>
  );
}

const isLeaf = (value: unknown): boolean => typeof value !== "object" || value === null;

/** Converts the text to the type that the error names, or that the value had before. */
function valueOf(typed: string, before: unknown, problem: string): unknown {
  const isWanted = typeof before === "number" || /\b(number|integer)\b/i.test(problem);
  return isWanted && typed.trim() !== "" && Number.isFinite(Number(typed)) ? Number(typed) : typed;
}
