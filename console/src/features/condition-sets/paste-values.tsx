import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { TextArea } from "../../ui/text-field.tsx";
import type { ConditionSet, ValuesAdded } from "./condition-sets.queries.ts";
import type { Pasted } from "./pasted-values.ts";
import { readPasted } from "./pasted-values.ts";

/** Adds a column pasted from a spreadsheet and reports what was added, already present or rejected. */
export function PasteValues({ set, refused }: { set: ConditionSet; refused: string | undefined }) {
  const [text, setText] = useState("");
  const [done, setDone] = useState<{ pasted: Pasted; answer: ValuesAdded }>();
  const pasted = useMemo(() => readPasted(text, set.matching === "exact"), [text, set.matching]);
  const add = useMutation({
    mutationFn: async (given: Pasted) => {
      const path = { id: set.id };
      const answer = await hub.call("POST /api/v1/condition-sets/{id}/values", {
        path,
        body: { values: given.values },
      });
      return { pasted: given, answer };
    },
    onSuccess: async (result) => {
      setDone(result);
      setText("");
      await queryClient.invalidateQueries({ queryKey: ["condition-sets"] });
    },
  });
  return (
    <form
      className="flex flex-col gap-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (pasted.values.length > 0 && !refused) add.mutate(pasted);
      }}
    >
      <TextArea
        label="Paste a column"
        hint={
          text.trim() === ""
            ? "One value per line. Of several columns, only the first is used."
            : `${plural(pasted.values.length, "value")} to add, ${formatCount(pasted.repeated.length)} repeated, ${formatCount(pasted.refused.length)} rejected.`
        }
        rows={6}
        className="font-mono"
        value={text}
        onChange={(next) => {
          setText(next);
          setDone(undefined);
        }}
      />
      {text.trim() !== "" && pasted.refused.length > 0 && <Refused refused={pasted.refused} />}
      {add.error && <ProblemBox error={add.error} />}
      <div>
        <Button
          kind="primary"
          type="submit"
          isBusy={add.isPending}
          disabledReason={refused ?? (pasted.values.length === 0 && "Paste at least one value.")}
        >
          Add {pasted.values.length > 0 ? plural(pasted.values.length, "value") : "values"}
        </Button>
      </div>
      {done && <Done {...done} />}
    </form>
  );
}

function Done({ pasted, answer }: { pasted: Pasted; answer: ValuesAdded }) {
  const { added, alreadyPresent, present = [] } = answer;
  const duplicates = [...present, ...pasted.repeated];
  return (
    <section role="status" aria-label="Result" className="flex flex-col gap-2">
      <Figures
        label="Result"
        figures={[
          { label: "Added", value: added, tone: "ok" },
          { label: "Duplicates", value: alreadyPresent + pasted.repeated.length },
          { label: "Rejected", value: pasted.refused.length, tone: "bad" },
          { label: "In the list now", value: answer.valueCount },
        ]}
      />
      {duplicates.length > 0 && (
        <p className="text-muted">
          Duplicates: <span className="font-mono text-sm text-text">{duplicates.slice(0, 30).join(", ")}</span>
          {alreadyPresent + pasted.repeated.length > 30 && " and others"}
        </p>
      )}
      {pasted.refused.length > 0 && <Refused refused={pasted.refused} />}
    </section>
  );
}

function Refused({ refused }: { refused: Pasted["refused"] }) {
  return (
    <ul className="list-disc ps-4 text-bad">
      {refused.slice(0, 20).map((one) => (
        <li key={one.line}>
          Line {formatCount(one.line)}: {one.why}. <span className="font-mono text-sm">{one.text}</span>
        </li>
      ))}
      {refused.length > 20 && <li>and {formatCount(refused.length - 20)} more</li>}
    </ul>
  );
}
