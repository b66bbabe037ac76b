import { Switch as Base } from "@base-ui/react/switch";

type Props = {
  label: string;
  isOn: boolean;
  /** Why the switch is disabled. */
  disabledReason?: string | undefined;
  onChange(isOn: boolean): void;
};

export function Switch({ label, isOn, disabledReason, onChange }: Props) {
  return (
    <div>
      <label className="flex min-h-6 items-center justify-between gap-3">
        <span>{label}</span>
        <Base.Root
          checked={isOn}
          onCheckedChange={onChange}
          disabled={disabledReason !== undefined}
          className="flex h-4.5 w-8 shrink-0 rounded-full bg-edge p-0.5 transition-colors data-checked:bg-accent data-disabled:opacity-50"
        >
          <Base.Thumb className="size-3.5 rounded-full bg-panel transition-transform data-checked:translate-x-3.5" />
        </Base.Root>
      </label>
      {disabledReason && <p className="max-w-64 text-sm text-muted">{disabledReason}</p>}
    </div>
  );
}
