import { useState } from "react";
import { JsonEditor } from "../../ui/json-editor.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import type { Mapping } from "./mapping.ts";

/** All rows as JSON. Calls `onChange` whenever it parses. */
export function MappingJson({
  mappings,
  onChange,
  isReadOnly,
}: {
  mappings: readonly Mapping[];
  onChange(mappings: Mapping[]): void;
  isReadOnly: boolean;
}) {
  const [problem, setProblem] = useState<string>();
  if (isReadOnly) return <JsonView label="Mapping" value={mappings} />;
  const change = (text: string): void => {
    try {
      const read = JSON.parse(text) as unknown;
      if (
        !Array.isArray(read) ||
        !read.every((one) => typeof one === "object" && one !== null && !Array.isArray(one))
      ) {
        setProblem("A mapping is a JSON list of rows: [{…}, {…}].");
        return;
      }
      setProblem(undefined);
      onChange(read as Mapping[]);
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <div className="flex flex-col gap-1">
      <JsonEditor label="Mapping as JSON" text={JSON.stringify(mappings, null, 2)} onChange={change} />
      {problem && <p className="text-sm text-bad">{problem}</p>}
    </div>
  );
}
