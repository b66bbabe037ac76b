import type { ReactNode } from "react";

/** Description list of a record. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[minmax(96px,auto)_1fr] gap-x-3">{children}</dl>;
}

/** Missing values are a dash. `note`: source of the value, at the end of the line. */
export function Fact({ name, note, children }: { name: string; note?: ReactNode; children?: ReactNode }) {
  const isNothing = children === null || children === undefined || children === "" || children === false;
  return (
    <div className="col-span-2 grid grid-cols-subgrid items-baseline border-b border-line py-1 last:border-b-0">
      <dt className="text-muted">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-3">
        <span className="min-w-0 break-words">{isNothing ? <span className="text-muted">–</span> : children}</span>
        {note && <span className="text-sm text-faint">{note}</span>}
      </dd>
    </div>
  );
}

export type NamedFact = [name: string, value: ReactNode];

/** Facts as data instead of elements. */
export function FactList({ facts }: { facts: ReadonlyArray<NamedFact | false | undefined> }) {
  return (
    <Facts>
      {facts
        .filter((fact): fact is NamedFact => Array.isArray(fact))
        .map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
    </Facts>
  );
}
