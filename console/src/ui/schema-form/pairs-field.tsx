import { useState } from "react";
import { Button, IconButton } from "../button.tsx";
import { Icon } from "../icons.tsx";
import { inputClass } from "../text-field.tsx";

/** Values that were not edited keep their type. */
type Pair = { key: number; name: string; value: unknown };

let nextKey = 1;
const pairOf = (name: string, value: unknown): Pair => ({ key: nextKey++, name, value });
const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** Key-value editor. Rows without a name are not part of the value. */
export function PairsField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: unknown;
  onChange(value: Record<string, unknown> | undefined): void;
}) {
  const [pairs, setPairs] = useState(() =>
    Object.entries((value as Record<string, unknown> | undefined) ?? {}).map(([name, one]) => pairOf(name, one)),
  );
  const set = (next: Pair[]): void => {
    setPairs(next);
    const named = next.filter(({ name }) => name !== "").map(({ name, value: one }) => [name, one] as const);
    onChange(named.length === 0 ? undefined : Object.fromEntries(named));
  };
  const edit = (at: number, change: Partial<Pair>): void =>
    set(pairs.map((pair, index) => (index === at ? { ...pair, ...change } : pair)));
  return (
    <div className="flex flex-col gap-1.5">
      {pairs.map(({ key, name, value: one }, at) => (
        <div key={key} className="flex items-center gap-1.5">
          <input
            aria-label={`${label}: name ${at + 1}`}
            placeholder="Name"
            value={name}
            onChange={(event) => edit(at, { name: event.target.value })}
            className={inputClass}
          />
          <input
            aria-label={`${label}: value ${at + 1}`}
            placeholder="Value"
            value={textOf(one)}
            onChange={(event) => edit(at, { value: event.target.value })}
            className={inputClass}
          />
          <IconButton label={`Remove ${name || at + 1}`} onClick={() => set(pairs.filter((_, index) => index !== at))}>
            <Icon name="x" />
          </IconButton>
        </div>
      ))}
      <div>
        <Button onClick={() => set([...pairs, pairOf("", "")])}>
          <Icon name="plus" /> Add
        </Button>
      </div>
    </div>
  );
}
