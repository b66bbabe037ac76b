import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { FixRequest } from "./exceptions.queries.ts";

type Props = { isBusy: boolean; onSave(purchase: NonNullable<FixRequest["purchase"]>): void; onCancel(): void };

/** A label that the carrier sold although the hub got no response: its tracking numbers and cost. */
export function FoundPurchase({ isBusy, onSave, onCancel }: Props) {
  const [numbers, setNumbers] = useState("");
  const [cost, setCost] = useState("");
  const [trackingNumber, ...furtherTrackingNumbers] = numbers.split(/[\s,]+/).filter((number) => number !== "");
  const amount = Number(cost);
  const isCostWrong = cost.trim() !== "" && !(Number.isFinite(amount) && amount >= 0);
  return (
    <form
      aria-label="Record the label"
      className="flex flex-col gap-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (isBusy || trackingNumber === undefined || isCostWrong) return;
        onSave({
          trackingNumber,
          ...(furtherTrackingNumbers.length > 0 && { furtherTrackingNumbers }),
          ...(cost.trim() !== "" && { cost: amount }),
        });
      }}
    >
      <TextField
        label="Tracking number"
        hint="As the carrier shows it. With several parcels, all numbers in their order"
        value={numbers}
        onChange={setNumbers}
        required
      />
      <TextField
        label="Cost"
        hint="What the carrier charged, such as 8.45"
        error={isCostWrong ? "Enter an amount such as 8.45." : undefined}
        inputMode="decimal"
        value={cost}
        onChange={setCost}
      />
      <div className="flex gap-2">
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Record the label
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
