import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatCount } from "../../ui/format.ts";
import { TextField } from "../../ui/text-field.tsx";

type Props = { isOpen: boolean; onClose(): void; count: number; reasons: string[]; isBusy: boolean; onRun(): void };

/** Before what cannot be taken back: the number of orders is typed, not only clicked away. */
export function TypeTheNumber({ isOpen, onClose, count, reasons, isBusy, onRun }: Props) {
  const [typed, setTyped] = useState("");
  const isRight = typed.replaceAll(/[,. ]/g, "") === String(count);
  return (
    <Dialog title={`Run on ${formatCount(count)} live orders?`} isOpen={isOpen} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (isRight) onRun();
        }}
      >
        <ul className="list-disc ps-4">
          {reasons.map((reason) => (
            <li key={reason} className="first-letter:uppercase">
              {reason}
            </li>
          ))}
        </ul>
        <TextField
          label={`Type ${formatCount(count)} to go on`}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={setTyped}
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Not now</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} disabledReason={!isRight && "The number is not that."}>
            Run
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
