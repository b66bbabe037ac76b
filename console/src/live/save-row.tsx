import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/class-names.ts";
import { ConflictBox } from "../ui/conflict-box.tsx";
import { isAllOnFields } from "../ui/field-errors.ts";
import { ProblemBox } from "../ui/problem-box.tsx";
import { useConnection } from "./connection.ts";
import type { RecordForm } from "./use-record-form.ts";

type Props<Draft> = {
  form: RecordForm<Draft>;
  /** Labels of the values in the conflict box. */
  names: { [Part in keyof Draft]?: string };
  /** Text of a value in the conflict box, where the value alone is not readable. */
  textOf?(part: keyof Draft, draft: Draft): unknown;
  /** Pointers of the fields that show their own errors; by default those of `names`. */
  fields?: readonly string[];
  /** Why it cannot be saved. */
  reason?: string | undefined;
  save?: string;
  children?: ReactNode;
};

/** The form of a record with its save button. */
export function SaveForm<Draft>({ className, children, ...row }: Props<Draft> & { className?: string }) {
  return (
    <form className={cx("flex flex-col gap-3", className)} onSubmit={row.form.submit}>
      {children}
      <SaveRow {...row} />
    </form>
  );
}

/** Footer of the form of a record: conflict, errors and buttons. */
export function SaveRow<Draft>({
  form,
  names,
  textOf = (part, draft) => draft[part],
  fields = Object.keys(names).map((part) => `/${part}`),
  reason,
  save = "Save",
  children,
}: Props<Draft>) {
  const { conflict, error, isBusy, isChanged, isNew } = form;
  const isAway = useConnection() === "away";
  return (
    <>
      {conflict && (
        <ConflictBox
          fields={(Object.keys(names) as Array<keyof Draft>).map((part) => ({
            name: names[part]!,
            mine: textOf(part, conflict.mine),
            theirs: textOf(part, conflict.theirs),
          }))}
          hasUnseen={conflict.hasUnseen}
          isBusy={isBusy}
          onTakeTheirs={conflict.takeTheirs}
          onKeepMine={conflict.keepMine}
        />
      )}
      {error && !isAllOnFields(error, fields) && <ProblemBox error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        {/* The conflict has buttons of its own, and saving again would only repeat it. */}
        {!conflict && (
          <Button
            kind="primary"
            type="submit"
            isBusy={isBusy}
            disabledReason={reason ?? (!isNew && !isChanged && "There are no changes to save.")}
          >
            {save}
          </Button>
        )}
        {isChanged && !isNew && !conflict && (
          <Button kind="quiet" onClick={form.putBack}>
            Discard changes
          </Button>
        )}
        {isBusy && isAway && (
          <span role="status" className="text-muted">
            Not saved yet. The change is saved when the hub is back.
          </span>
        )}
        {children}
      </div>
    </>
  );
}
