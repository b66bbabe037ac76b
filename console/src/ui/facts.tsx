import type { ReactNode } from "react";

export type Fact = [name: string, value: ReactNode];

/** What a record is, name by name. What is not known is a dash, in its place. */
export function Facts({ facts }: { facts: ReadonlyArray<Fact | false | undefined> }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,auto)_1fr] gap-x-3">
      {facts
        .filter((fact): fact is Fact => Array.isArray(fact))
        .map(([name, value]) => (
          <div
            key={name}
            className="col-span-2 grid grid-cols-subgrid items-baseline border-b border-line py-1 last:border-b-0"
          >
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">
              {value === null || value === undefined || value === "" ? <span className="text-muted">–</span> : value}
            </dd>
          </div>
        ))}
    </dl>
  );
}
