import { Switch as Base } from "@base-ui/react/switch";

export function Switch({ label, isOn, onChange }: { label: string; isOn: boolean; onChange(isOn: boolean): void }) {
  return (
    <label className="flex min-h-6 items-center justify-between gap-3">
      <span>{label}</span>
      <Base.Root
        checked={isOn}
        onCheckedChange={onChange}
        className="flex h-4.5 w-8 shrink-0 rounded-full bg-edge p-0.5 transition-colors data-checked:bg-accent"
      >
        <Base.Thumb className="size-3.5 rounded-full bg-panel transition-transform data-checked:translate-x-3.5" />
      </Base.Root>
    </label>
  );
}
