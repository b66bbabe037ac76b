import { HubApiError } from "@order-operations-hub/sdk/problem";
import { Button } from "./button.tsx";
import { valueText } from "./change-text.ts";
import { Table, Td, Th } from "./table.tsx";

/** 412: the record was changed by another user. */
export const isConflict = (error: unknown): boolean => error instanceof HubApiError && error.status === 412;

type Props = {
  /** Edited and saved value of each field. Equal ones are not shown. */
  fields: ReadonlyArray<{ name: string; mine: unknown; theirs: unknown }>;
  /** A write-only value, such as credentials, was entered and cannot be compared. */
  hasUnseen?: boolean;
  onTakeTheirs(): void;
  onKeepMine(): void;
  isBusy?: boolean;
};

/** Conflict: saved and edited values side by side. Edits are kept until the user decides. */
export function ConflictBox({ fields, hasUnseen = false, onTakeTheirs, onKeepMine, isBusy }: Props) {
  const differing = fields.filter(({ mine, theirs }) => JSON.stringify(mine) !== JSON.stringify(theirs));
  return (
    <section
      role="alert"
      aria-label="Changed by another user"
      className="rounded-lg border border-warn bg-warn-soft px-3 py-2.5"
    >
      <p className="font-medium text-warn">Another user changed this while you were typing. Nothing was saved.</p>
      {hasUnseen && <p className="mt-1">Secret values are never shown, neither yours nor the stored ones.</p>}
      {differing.length === 0 ? (
        !hasUnseen && <p className="mt-1">The saved values are the same as yours.</p>
      ) : (
        <div className="mt-2 overflow-hidden rounded-md border border-line bg-panel">
          <Table label="Your changes and theirs">
            <thead>
              <tr>
                <Th>Field</Th>
                <Th>Yours</Th>
                <Th>Saved by the other user</Th>
              </tr>
            </thead>
            <tbody>
              {differing.map(({ name, mine, theirs }) => (
                <tr key={name}>
                  <Td className="text-muted">{name}</Td>
                  <Td>{valueText(mine)}</Td>
                  <Td>{valueText(theirs)}</Td>
                </tr>
              ))}
            </tbody>
          </Table>
        </div>
      )}
      <div className="mt-2 flex gap-2">
        <Button onClick={onTakeTheirs}>Use theirs</Button>
        <Button kind="primary" isBusy={isBusy ?? false} onClick={onKeepMine}>
          Save mine
        </Button>
      </div>
    </section>
  );
}
