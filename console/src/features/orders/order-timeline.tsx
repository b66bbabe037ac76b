import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Skeleton } from "../../ui/card.tsx";
import { changeText, fieldName, valueText } from "../../ui/change-text.ts";
import { cx } from "../../ui/class-names.ts";
import { plural, sentence } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Time } from "../../ui/zone.tsx";
import type { TimelineEntry } from "./orders.queries.ts";
import { timelineQuery } from "./orders.queries.ts";

const kinds: Record<string, string> = {
  created: "Created",
  imported: "Imported",
  updated: "Changed",
  hold_released: "Hold released automatically",
  fulfillment: "Fulfilment",
  shipment: "Shipment",
  delivered: "Delivered",
  run_step: "Run",
};

export function actorName(actor: TimelineEntry["actor"]): string {
  if (actor.type === "system") return "the hub";
  return actor.name ?? actor.email ?? (actor.type === "api_key" ? "an API key" : "a user");
}

/** Timeline of an order, newest first. */
export function OrderTimeline({ reference }: { reference: string }) {
  const { data, error, isPending } = useQuery(timelineQuery(reference));
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
              {entry.type ? sentence(entry.type) : (kinds[entry.kind] ?? sentence(entry.kind))}
            </span>
            <span className="text-muted">
              by {actorName(entry.actor)}
              {entry.runId && (
                <>
                  {" "}
                  in a{" "}
                  <Link href={paths.run(entry.runId)} className="text-accent-text underline underline-offset-2">
                    run
                  </Link>
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

function Changes({ entry }: { entry: TimelineEntry }) {
  if (entry.changes.length === 0) return null;
  const isFirst = entry.kind === "created" || entry.kind === "imported";
  if (isFirst && entry.changes.every(({ from }) => from === null || from === undefined)) {
    return <p className="text-sm text-muted">with {plural(entry.changes.length, "field")}</p>;
  }
  return (
    <ul className="text-sm">
      {entry.changes.slice(0, maxChanges).map((change) => {
        const { sign, text } = changeText(change);
        return (
          <li key={change.path} className="flex flex-wrap gap-x-1.5">
            <span className="text-muted">{fieldName(change.path)}</span>
            <span className={cx(sign === "+" && "text-ok", sign === "−" && "text-bad")}>
              {sign === "→" ? `${valueText(change.from)} → ` : `${sign} `}
              {text}
            </span>
            {change.keptLocal && <span className="text-faint">(kept as it was here)</span>}
          </li>
        );
      })}
      {entry.changes.length > maxChanges && (
        <li className="text-muted">and {plural(entry.changes.length - maxChanges, "more field")}</li>
      )}
    </ul>
  );
}
