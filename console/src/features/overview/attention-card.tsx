import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { cx } from "../../ui/class-names.ts";
import { Empty } from "../../ui/card.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import type { IconName } from "../../ui/icons.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Link, RecordLink } from "../../ui/link.tsx";
import { formatSpan, formatTime, useClock } from "../../ui/zone.tsx";
import { useActionTitles } from "../operations/operations.queries.ts";
import type { Attention, AttentionItem } from "./overview.queries.ts";
import { attentionQuery } from "./overview.queries.ts";
import { attentionText, moreNames, text } from "./overview.text.ts";
import { Tile } from "./overview-tile.tsx";

const icons: Record<string, IconName> = {
  late_orders: "clock",
  failing_bridge: "bridge",
  unknown_labels: "card",
  exceptions: "alert",
  stock_shortages: "box",
  failed_run: "play",
  risky_shipments: "truck",
  paused_automation: "pause",
};
const tones: Record<string, string> = { bad: "text-bad", warning: "text-warn" };

/** The list that holds exactly what the item counts, or its record. */
function hrefOf(item: AttentionItem, { lateOrders }: Attention): string {
  switch (item.kind) {
    case "late_orders":
      return paths.orders({ status: lateOrders.status, shipByTo: lateOrders.shipByTo });
    case "failing_bridge":
      return paths.bridge(item.id ?? "");
    case "unknown_labels":
      return paths.exceptions({ kind: "label", code: "outcome_unknown" });
    case "exceptions":
      return paths.exceptions();
    case "stock_shortages":
      return paths.exceptions({ kind: "stock" });
    case "failed_run":
      return paths.run(item.id ?? "", { status: "failed" });
    case "risky_shipments":
      return paths.shipments({ atRisk: "true", riskReason: item.reason ?? undefined });
    case "paused_automation":
      return paths.automation(item.id ?? "");
    // Added to the API later.
    default:
      return paths.exceptions();
  }
}

const moreHrefs: Record<string, string> = {
  failing_bridge: paths.bridges(),
  failed_run: paths.operations({ status: "partially_failed" }),
  paused_automation: paths.automations(),
};

const shownItems = 8;

/** What needs a person, worst on top: what, why, since when, and one button. */
export function AttentionCard() {
  const query = useQuery(attentionQuery);
  const [isAll, setAll] = useState(false);
  return (
    <Tile title="Needs attention" note={query.data && formatCount(query.data.data.length)} query={query} isFlush>
      {(attention) => {
        const { data, more } = attention;
        if (data.length === 0) return <Empty text={text.allWell} />;
        const hidden = data.length - shownItems;
        return (
          <>
            <ul aria-label="Needs attention">
              {(isAll ? data : data.slice(0, shownItems)).map((item) => (
                <Row key={`${item.kind} ${item.id ?? item.reason ?? ""}`} item={item} href={hrefOf(item, attention)} />
              ))}
            </ul>
            <p className="flex flex-wrap gap-x-4 border-t border-line px-3.5 py-1.5 text-sm text-muted empty:hidden">
              {hidden > 0 && (
                <button type="button" className="min-h-6 hover:underline" onClick={() => setAll(!isAll)}>
                  {isAll ? "Show less" : `Show ${hidden} more`}
                </button>
              )}
              {more.map(({ kind, count }) => (
                <RecordLink key={kind} href={moreHrefs[kind] ?? paths.overview()}>
                  {plural(count, ...(moreNames[kind] ?? ["more", "more"]))}
                </RecordLink>
              ))}
            </p>
          </>
        );
      }}
    </Tile>
  );
}

function Row({ item, href }: { item: AttentionItem; href: string }) {
  const clock = useClock();
  const titleOf = useActionTitles();
  const runName = (types: readonly string[]): string => types.map((type) => titleOf(type)).join(", ") || "Run";
  const lateFor = item.since ? formatSpan(clock.now() - Date.parse(item.since)) : "";
  const { what, why, button } = attentionText(item, runName, lateFor);
  return (
    <li className="border-t border-line">
      <Link
        href={href}
        className="grid min-h-[46px] grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-x-3 px-3.5 py-1.5 hover:bg-skip-soft sm:grid-cols-[20px_minmax(0,1fr)_112px_132px]"
      >
        <span className={cx("grid place-items-center", tones[item.severity] ?? "text-faint")}>
          <Icon name={icons[item.kind] ?? "alert"} size={16} />
        </span>
        <span className="min-w-0 sm:truncate" title={`${what}: ${why}`}>
          <span className="font-medium">{what}</span> <span className="text-muted">{why}</span>
        </span>
        <span className="text-end text-sm whitespace-nowrap text-faint max-sm:hidden">
          {item.since && sinceText(item, formatTime(item.since, clock))}
        </span>
        <span className={buttonClass("plain", "justify-self-end")}>{button}</span>
      </Link>
    </li>
  );
}

/** Runs and pauses happened once; everything else goes on since then. Times of other days are left out. */
function sinceText({ kind }: AttentionItem, time: string): string {
  const short = time.startsWith("today ") ? time.slice("today ".length) : time.replace(/ \d\d:\d\d$/, "");
  return kind === "failed_run" || kind === "paused_automation" ? short : `since ${short}`;
}
