import type { ReactNode } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { formatCount } from "../../ui/format.ts";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import type { Tone } from "../../ui/tone.ts";

type ReasonGroup = {
  step: number | null;
  code: string;
  message: string;
  fix?: string | null;
  count: number;
  /** Messages of single orders, where they differ. */
  reasons: ReadonlyArray<{ message: string; count: number }>;
};

type Props<Group extends ReasonGroup> = {
  label: string;
  groups: readonly Group[];
  toneOf(group: Group): Tone;
  /** Title of the step's action. */
  titleOf(group: Group): string;
  /** Buttons for the orders of the group. */
  renderButtons(group: Group): ReactNode;
};

const columnsWith = <Group extends ReasonGroup>({
  toneOf,
  titleOf,
  renderButtons,
}: Props<Group>): Array<ListColumn<Group>> => [
  {
    name: "Why",
    className: "w-1/2 min-w-56 py-1",
    cell: (group) => (
      <span className="flex min-h-6 items-center gap-2">
        <Badge tone={toneOf(group)}>{group.code}</Badge>
        <span>
          {group.message}
          <Reasons group={group} />
        </span>
      </span>
    ),
  },
  {
    name: "Step",
    className: "whitespace-nowrap text-muted",
    cell: (group) => (group.step === null ? "–" : `${group.step + 1} ${titleOf(group).toLowerCase()}`),
  },
  { name: "Orders", isNumber: true, cell: ({ count }) => formatCount(count) },
  { name: "What to do", className: "w-1/3 min-w-40 text-muted", cell: ({ fix }) => fix ?? "–" },
  { name: "", isNumber: true, className: "whitespace-nowrap", cell: renderButtons },
];

/** Failures or expected failures, one row per step and reason. */
export function ReasonTable<Group extends ReasonGroup>(props: Props<Group>) {
  const { label, groups, toneOf } = props;
  if (groups.length === 0) return null;
  return (
    <Card label="Why">
      <RowTable
        label={label}
        rows={groups}
        idOf={(group) => `${group.step} ${group.code} ${toneOf(group)} ${group.message}`}
        columns={columnsWith(props)}
      />
    </Card>
  );
}

const shownReasons = 4;

/** Where messages differ between orders, each is shown with its count. */
function Reasons({ group: { message, reasons, count } }: { group: ReasonGroup }) {
  if (reasons.length < 2) return null;
  const shared = message.endsWith(" …") ? message.slice(0, -1) : "";
  const shown = reasons.slice(0, shownReasons);
  const others = count - shown.reduce((sum, reason) => sum + reason.count, 0);
  return (
    <ul className="text-sm text-muted">
      {shown.map((reason) => (
        <li key={reason.message}>
          {formatCount(reason.count)}:{" "}
          {reason.message.startsWith(shared) ? reason.message.slice(shared.length) : reason.message}
        </li>
      ))}
      {others > 0 && <li>{formatCount(others)}: other reasons</li>}
    </ul>
  );
}
