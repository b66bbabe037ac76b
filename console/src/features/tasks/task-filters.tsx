import { useEntityNames } from "../pick/entity-names.queries.ts";
import { sentence } from "../../ui/format.ts";
import { Chip } from "../../ui/chip.tsx";
import { Select } from "../../ui/select.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { taskTitle } from "./task-title.pick.ts";
import type { ExecutionCounts } from "./tasks.queries.ts";

const spans = [
  { value: "24h", label: "Last 24 hours", days: 1 },
  { value: "7d", label: "Last 7 days", days: 7 },
  { value: "30d", label: "Last 30 days", days: 30 },
  { value: "all", label: "All time", days: undefined },
];
/** Covers a failure of Friday night that is looked at on Monday. */
const usual = spans[1]!;

export const daysOf = (since: string | undefined): number | undefined =>
  (spans.find(({ value }) => value === since) ?? usual).days;

export function daysText(days: number | undefined): string {
  return days === undefined ? "of all time" : days === 1 ? "of the last 24 hours" : `of the last ${days} days`;
}

type Props = { search: Search; stats: ExecutionCounts | undefined; bridgeName(id: string): string };

/** Filters by time, connection and task. A filter that came with a link, such as a run, is a removable chip. */
export function TaskFilters({ search, stats, bridgeName }: Props) {
  const { set } = useSearchParams();
  const { data: bridges } = useEntityNames("bridge");
  const value = (name: string): string => oneOf(search[name]) ?? "";
  const choose = (name: string) => (next: string) => set({ [name]: next || undefined, page: undefined });
  const tasks = [...new Set(stats?.byTask.map(({ taskName }) => taskName))].toSorted();
  const chosenTask = value("taskName");
  const chips = [
    { name: "runId", label: "Run", text: value("runId") && "One run" },
    { name: "scheduleId", label: "Schedule", text: value("scheduleId") && "One schedule" },
    { name: "code", label: "Error", text: value("code") && sentence(value("code")) },
  ].filter(({ text }) => text !== "");
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="w-44 max-sm:w-full">
        <Select
          label="Queued in"
          isLabelHidden
          value={value("since") || usual.value}
          options={spans}
          onChange={(next) => set({ since: next === usual.value ? undefined : next, page: undefined })}
        />
      </div>
      <div className="w-52 max-sm:w-full">
        <Select
          label="Connection"
          isLabelHidden
          value={value("bridgeId")}
          options={[
            { value: "", label: "All connections" },
            ...(bridges ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ...(value("bridgeId") && bridges && !bridges.some(({ id }) => id === value("bridgeId"))
              ? [{ value: value("bridgeId"), label: bridgeName(value("bridgeId")) }]
              : []),
          ]}
          onChange={choose("bridgeId")}
        />
      </div>
      <div className="w-52 max-sm:w-full">
        <Select
          label="Task"
          isLabelHidden
          value={chosenTask}
          options={[
            { value: "", label: "All tasks" },
            ...[...new Set([...tasks, ...(chosenTask ? [chosenTask] : [])])].map((name) => ({
              value: name,
              label: taskTitle(name),
            })),
          ]}
          onChange={choose("taskName")}
        />
      </div>
      {chips.map(({ name, label, text }) => (
        <Chip key={name} name={label} value={text} onDrop={() => set({ [name]: undefined, page: undefined })} />
      ))}
    </div>
  );
}
