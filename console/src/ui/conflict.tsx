import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { valueText } from "./change-text.ts";
import { Table, Td, Th } from "./table.tsx";

type Difference = { name: string; theirs: unknown; mine: unknown };

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Somebody else has changed it meanwhile. Nothing is lost: theirs stands beside mine until one is chosen. */
export function Conflict({
  what,
  differences,
  onTheirs,
  onMine,
  isBusy,
}: {
  what: ReactNode;
  differences: readonly Difference[];
  onTheirs(): void;
  onMine(): void;
  isBusy: boolean;
}) {
  const shown = differences.filter(({ theirs, mine }) => !isSame(theirs, mine));
  return (
    <section
      role="alert"
      aria-label="Changed by somebody else"
      className="rounded-lg border border-warn bg-warn-soft p-3"
    >
      <p className="mb-2 font-medium text-warn">
        {what} was changed by somebody else while you were at it. Nothing was written.
      </p>
      {shown.length > 0 && (
        <div className="mb-2 rounded-md border border-line bg-panel">
          <Table label="Theirs beside mine">
            <thead>
              <tr>
                <Th>Field</Th>
                <Th>Theirs, as it is now</Th>
                <Th>Mine</Th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ name, theirs, mine }) => (
                <tr key={name}>
                  <Td className="text-muted">{name}</Td>
                  <Td>{valueText(theirs)}</Td>
                  <Td className="font-medium">{valueText(mine)}</Td>
                </tr>
              ))}
            </tbody>
          </Table>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={onTheirs}>Take theirs</Button>
        <Button kind="primary" isBusy={isBusy} onClick={onMine}>
          Write mine over it
        </Button>
      </div>
    </section>
  );
}
