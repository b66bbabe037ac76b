import { useState } from "react";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { TextField } from "../../ui/text-field.tsx";

type Props = { onClose(): void; count: number; reasons: string[]; isBusy: boolean; onRun(): void };

/** Confirms an irreversible run by typing the number of orders. */
export function ConfirmCount({ onClose, count, reasons, isBusy, onRun }: Props) {
  const [typed, setTyped] = useState("");
  const isRight = typed.replaceAll(/[,. ]/g, "") === String(count);
  return (
    <FormDialog
      title={`Run on ${plural(count, "live order")}?`}
      submit={`Run on ${plural(count, "order")}`}
      reason={!isRight && `Type ${formatCount(count)} to confirm.`}
      form={{ submit: onRun, isBusy, error: null }}
      onClose={onClose}
    >
      <ul className="list-disc ps-4">
        {reasons.map((reason) => (
          <li key={reason} className="first-letter:uppercase">
            {reason}
          </li>
        ))}
      </ul>
      <TextField
        label={`Type ${formatCount(count)} to confirm`}
        inputMode="numeric"
        autoComplete="off"
        value={typed}
        onChange={setTyped}
      />
    </FormDialog>
  );
}
