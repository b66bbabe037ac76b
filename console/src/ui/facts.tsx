import type { ReactNode } from "react";

/** Names and values below each other. */
export function Facts({ facts }: { facts: ReadonlyArray<readonly [name: string, value: ReactNode]> }) {
  return (
    <dl className="grid grid-cols-[minmax(88px,auto)_1fr] gap-x-3">
      {facts.map(([name, value], at) => (
        <div
          key={`${name} ${at}`}
          className="col-span-2 grid grid-cols-subgrid items-baseline border-b border-line py-1 last:border-b-0"
        >
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
