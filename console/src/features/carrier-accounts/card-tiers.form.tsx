import { Fold } from "../../ui/fold.tsx";
import { Select } from "../../ui/select.tsx";
import { TextArea, TextField } from "../../ui/text-field.tsx";
import type { TierDraft } from "./card-tiers.ts";

const piecesOptions = [
  { value: "each", label: "Each parcel separately" },
  { value: "total", label: "The sum of their weights" },
];

type Props = {
  draft: TierDraft;
  wrong(field: keyof TierDraft): string | undefined;
  onChange(change: Partial<TierDraft>): void;
};

/** Prices by volume and by hundredweight, and what a service charges for several parcels. Open if the service has any of them. */
export function ServiceTiers({ draft, wrong, onChange }: Props) {
  const field = (name: keyof TierDraft) => ({
    value: draft[name],
    error: wrong(name),
    onChange: (value: string) => onChange({ [name]: value }),
  });
  const isUsed = draft.cubic !== "" || draft.hundredweight !== "" || draft.earned !== "" || draft.multiPiece !== "each";
  return (
    <Fold title="Tiers and several parcels" isOpenAtFirst={isUsed}>
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <TextArea
          label="Prices by volume"
          hint="zones 2 8. Then a line for each tier in cubic feet: 0.1 6.50 7.25"
          rows={3}
          {...field("cubic")}
        />
        <div className="flex flex-col gap-3">
          <TextField label="By volume up to a weight of" hint="Such as 20 lb" {...field("cubicWeight")} />
          <TextField label="By volume up to a length of (in)" inputMode="decimal" {...field("cubicLength")} />
        </div>
        <TextArea
          label="Prices per hundredweight"
          hint="zones 2 8. Then a line for each weight from which it applies: 200 21.50 24"
          rows={3}
          {...field("hundredweight")}
        />
        <div className="flex flex-col gap-3">
          <TextField label="Hundredweight discount in %" inputMode="decimal" {...field("hundredweightDiscount")} />
          <TextField label="Hundredweight minimum" inputMode="decimal" {...field("hundredweightMinimum")} />
        </div>
        <TextArea
          label="Earned discount"
          hint="A line for each tier: weekly revenue and discount in %, such as 5000 10"
          rows={2}
          {...field("earned")}
        />
        <Select label="Several parcels are priced by" options={piecesOptions} {...field("multiPiece")} />
      </div>
    </Fold>
  );
}
