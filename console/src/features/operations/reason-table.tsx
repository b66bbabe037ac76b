import type { ReactNode } from "react";
import { Badge } from "../../ui/badge.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import type { State } from "./run-words.pick.ts";
import { plainMessage, reasonText, reasonTitle } from "./reasons.ts";

type ReasonGroup = {
  step: number | null;
  type: string | null;
  code: string;
  message: string;
  fix?: string | null;
  count: number;
  /** Messages of single orders, where they differ. */
  reasons: ReadonlyArray<{ message: string; count: number }>;
  sample: ReadonlyArray<{ ref: string; order_number: string | null }>;
};

type Props<Group extends ReasonGroup> = {
  label: string;
  groups: readonly Group[];
  /** Badge before the title, where groups differ in it. */
  stateOf?(group: Group): State;
  /** Numbers of some orders, where the page does not list them beside the table. */
  hasExamples?: boolean;
  /** Title of an action. */
  titleOf(type: string): string | undefined;
  /** Buttons for the orders of the group. */
  renderButtons(group: Group): ReactNode;
};

const columnsWith = <Group extends ReasonGroup>({
  stateOf,
  hasExamples,
  titleOf,
  renderButtons,
}: Props<Group>): Array<ListColumn<Group>> => [
  {
    name: "Cause",
    className: "w-1/2 min-w-64 py-1.5",
    cell: (group) => {
      const state = stateOf?.(group);
      return (
        <>
          <span className="flex flex-wrap items-center gap-2">
            <strong className="font-medium">{reasonTitle(group.code)}</strong>
            {state && <Badge tone={state.tone}>{state.text}</Badge>}
          </span>
          <span className="block text-muted">
            {reasonText(group, titleOf)} <Details group={group} titleOf={titleOf} />
          </span>
          <Reasons group={group} titleOf={titleOf} />
        </>
      );
    },
  },
  { name: "Orders", isNumber: true, className: "whitespace-nowrap", cell: ({ count }) => plural(count, "order") },
  ...(hasExamples
    ? [{ name: "Examples", className: "max-w-64 truncate text-muted max-md:hidden", cell: sampleText }]
    : []),
  {
    name: "",
    isNumber: true,
    cell: (group) => <span className="flex flex-wrap justify-end gap-1.5 py-1">{renderButtons(group)}</span>,
  },
];

const shownOrders = 2;

function sampleText({ sample, count }: ReasonGroup): string {
  const shown = sample.slice(0, shownOrders).map(({ order_number, ref }) => order_number ?? ref);
  return count > shown.length ? `${shown.join(", ")} and ${formatCount(count - shown.length)} more` : shown.join(", ");
}

/** Failures or expected failures, one row per step and cause. */
export function ReasonTable<Group extends ReasonGroup>(props: Props<Group>) {
  const { label, groups } = props;
  if (groups.length === 0) return null;
  return (
    <RowTable
      label={label}
      rows={groups}
      idOf={(group) => `${group.step} ${group.code} ${props.stateOf?.(group).text} ${group.message}`}
      columns={columnsWith(props)}
    />
  );
}

type PartProps = { group: ReasonGroup; titleOf(type: string): string | undefined };

/** Step and code, for support. */
function Details({ group: { step, type, code }, titleOf }: PartProps) {
  return (
    <details className="inline-block align-top text-sm text-faint">
      <summary className="cursor-pointer">Details</summary>
      {step !== null && `Step ${step + 1}${type ? `, ${titleOf(type) ?? type}` : ""}. `}
      Code <code className="font-mono">{code}</code>
    </details>
  );
}

const shownReasons = 4;

/** Where messages differ between orders, each is shown with its count. */
function Reasons({ group: { message, reasons, count }, titleOf }: PartProps) {
  if (reasons.length < 2) return null;
  const shared = message.endsWith(" …") ? message.slice(0, -1) : "";
  const shown = reasons.slice(0, shownReasons);
  const others = count - shown.reduce((sum, reason) => sum + reason.count, 0);
  const ownPart = (text: string): string => (text.startsWith(shared) ? text.slice(shared.length) : text);
  return (
    <ul className="text-sm text-muted">
      {shown.map((reason) => (
        <li key={reason.message}>
          {plural(reason.count, "order")}: {plainMessage(ownPart(reason.message), titleOf)}
        </li>
      ))}
      {others > 0 && <li>{plural(others, "order")}: other causes</li>}
    </ul>
  );
}
