import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Skeleton } from "../../ui/card.tsx";
import { changeText, valueText } from "../../ui/change-text.ts";
import { cx } from "../../ui/class-names.ts";
import { fieldName, plural, sentence } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { formatTime, Time, useClock } from "../../ui/zone.tsx";
import { useActionTitles } from "../operations/operations.queries.ts";
import { RunLink, useNamedChanges } from "../operations/run-name.pick.tsx";
import type { TimelineEntry } from "./orders.queries.ts";
import { timelineQuery } from "./orders.queries.ts";
import { addressStatusName, statusNames } from "./orders.text.ts";

const kinds: Record<string, string> = {
  created: "Created",
  imported: "Imported",
  updated: "Changed",
  hold_released: "Hold released automatically",
  fulfillment: "Fulfillment",
  shipment: "Shipment",
  delivered: "Delivered",
  packed: "Packed",
  run_step: "Run",
};

export function actorName(actor: TimelineEntry["actor"]): string {
  if (actor.type === "system") return "the hub";
  return actor.name ?? actor.email ?? (actor.type === "api_key" ? "an API key" : "a user");
}

/** Timeline of an order, newest first. */
export function OrderTimeline({ reference }: { reference: string }) {
  const { data, error, isPending } = useQuery(timelineQuery(reference));
  const titleOf = useActionTitles();
  if (error) return <ProblemBox error={error} />;
  if (isPending) return <Skeleton rows={5} />;
  return (
    <ol className="relative ms-1.5 border-s border-line">
      {data.map((entry) => (
        <li key={entry.id} className="relative ps-4 pb-3">
          <span
            aria-hidden
            className="absolute -start-[4.5px] top-1.5 size-2 rounded-full border-2 border-panel bg-accent"
          />
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium">
              {entry.isUndo && "Undid: "}
              {entry.type ? titleOf(entry.type) : (kinds[entry.kind] ?? sentence(entry.kind))}
            </span>
            <span className="text-muted">
              by {actorName(entry.actor)}
              {entry.runId && (
                <>
                  {" "}
                  in <RunLink id={entry.runId} />
                  {entry.step !== undefined && `, step ${entry.step + 1}`}
                </>
              )}
            </span>
            <span className="ms-auto text-sm text-faint">
              <Time at={entry.at} withSeconds />
            </span>
          </p>
          <Changes entry={entry} />
        </li>
      ))}
    </ol>
  );
}

const maxChanges = 6;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function Changes({ entry }: { entry: TimelineEntry }) {
  const named = useNamedChanges();
  const clock = useClock();
  const timeText = (at: string): string => formatTime(at, clock);
  if (entry.changes.length === 0) return null;
  const isFirst = entry.kind === "created" || entry.kind === "imported";
  if (isFirst && entry.changes.every(({ from }) => from === null || from === undefined)) {
    return <p className="text-sm text-muted">with {firstText(entry)}</p>;
  }
  return (
    <ul className="text-sm">
      {entry.changes.slice(0, maxChanges).map((original) => {
        const change = named(original);
        const { sign, text } = changeText(change, timeText);
        return (
          <li key={original.path} className="flex flex-wrap gap-x-1.5">
            <span className="text-muted">{sentence(fieldName(change.path))}</span>
            <span className={cx("min-w-0 break-words", sign === "+" && "text-ok", sign === "−" && "text-bad")}>
              {sign === "→" ? `${wordsOf(original, valueText(change.from, timeText))} → ` : sign && `${sign} `}
              {wordsOf(original, text)}
            </span>
            {change.keptLocal && <span className="text-faint">(the value of the hub was kept)</span>}
            {original.path === "/shipments" && <ShipmentLinks change={original} />}
          </li>
        );
      })}
      {entry.changes.length > maxChanges && (
        <li className="text-muted">and {plural(entry.changes.length - maxChanges, "more field")}</li>
      )}
    </ul>
  );
}

const valueWords: Record<string, (value: string) => string> = {
  "/status": (value) => statusNames[value] ?? sentence(value),
  "/paymentStatus": sentence,
  "/addressStatus": addressStatusName,
  "/priority": sentence,
};

/** A status in the words of the badges. */
const wordsOf = ({ path }: { path: string }, text: string): string => valueWords[path]?.(text) ?? text;

/** What an order was created with. */
function firstText({ changes }: TimelineEntry): string {
  const lines = changes.find(({ path }) => path === "/lines")?.to;
  return Array.isArray(lines) && lines.length > 0 ? plural(lines.length, "item") : plural(changes.length, "field");
}

/** Links to the shipments that a change added or changed. */
function ShipmentLinks({ change: { from, to } }: { change: TimelineEntry["changes"][number] }) {
  const before = new Set((Array.isArray(from) ? from : []).map((one) => JSON.stringify(one)));
  const shipments = (Array.isArray(to) ? to : []).filter((one) => isObject(one) && !before.has(JSON.stringify(one)));
  return shipments.map((shipment: Record<string, unknown>) => (
    <Link
      key={String(shipment["id"])}
      href={paths.shipment(String(shipment["id"]))}
      className="text-accent-text underline underline-offset-2"
    >
      View shipment
    </Link>
  ));
}
