import { useState } from "react";
import { JsonEditor } from "../json-editor.tsx";

type Props = {
  label: string;
  hint: string | undefined;
  error: string | undefined;
  value: unknown;
  onChange(value: unknown): void;
};

/** JSON text for values without a form field. Calls `onChange` whenever it parses. */
export function JsonField({ label, hint, error, value, onChange }: Props) {
  const [problem, setProblem] = useState<string>();
  const change = (text: string): void => {
    try {
      onChange(text.trim() === "" ? undefined : JSON.parse(text));
      setProblem(undefined);
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  const note = error ?? problem;
  return (
    <div className="flex flex-col gap-1">
      <span className="text-sm font-medium text-muted">{label}</span>
      <JsonEditor label={label} text={value === undefined ? "" : JSON.stringify(value, null, 2)} onChange={change} />
      {(note ?? hint) && <p className={note ? "text-sm text-bad" : "text-sm text-faint"}>{note ?? hint}</p>}
    </div>
  );
}
