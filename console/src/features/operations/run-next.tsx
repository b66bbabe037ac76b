import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import type { ReactNode } from "react";
import { paths } from "../../app/paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import type { IconName } from "../../ui/icons.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { PrintButton } from "../documents/print-button.pick.tsx";
import { labelsOf } from "./run-print.tsx";
import { hasEnded } from "./run.can.ts";

/** What usually follows the purchase of labels. */
export function RunNext({ run }: { run: OperationRun }) {
  const labels = labelsOf(run);
  if (labels === 0 || !hasEnded(run)) return null;
  const source = { runId: run.id };
  return (
    <Card label="Next steps">
      <div className="grid gap-px bg-line sm:grid-cols-2 xl:grid-cols-4">
        <Next
          icon="printer"
          title="Labels"
          text={`${formatCount(run.labels.printed ?? 0)} of ${formatCount(labels)} printed`}
        >
          <PrintButton source={source} kinds={["labels"]} label="Print labels" />
        </Next>
        <Next icon="note" title="Packing slips" text={`${plural(labels, "order")}, in the order of the table`}>
          <PrintButton source={source} kinds={["packing_slips"]} label="Print slips" />
          <PrintButton source={source} kinds={["pick_list"]} label="Pick list" kind="quiet" />
        </Next>
        <Next icon="list" title="Manifest" text={`${plural(labels, "package")} by carrier and service`}>
          <PrintButton source={source} kinds={["manifest"]} label="Print manifest" />
        </Next>
        <Next icon="truck" title="Pickup" text={`${plural(labels, "package")} to collect`}>
          <Link href={paths.pickups({ book: "next" })} className={buttonClass("plain")}>
            Schedule pickup
          </Link>
        </Next>
      </div>
    </Card>
  );
}

function Next({ icon, title, text, children }: { icon: IconName; title: string; text: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="bg-panel p-3.5">
      <div className="flex items-center gap-3">
        <span className="grid size-8 shrink-0 place-items-center rounded-lg bg-accent-soft text-accent-text">
          <Icon name={icon} size={16} />
        </span>
        <div className="min-w-0">
          <h2 className="font-medium">{title}</h2>
          <p className="text-sm text-muted">{text}</p>
        </div>
      </div>
      <div className="mt-2.5 flex flex-wrap gap-2">{children}</div>
    </section>
  );
}
