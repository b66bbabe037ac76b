import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { curlOf } from "../../live/exchanges.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { Preflight } from "./operations.queries.ts";
import type { Draft, toActions } from "./pipeline.ts";
import type { Costs } from "./step-prices.ts";
import { ConfirmCount } from "./confirm-count.tsx";

/** The body that was checked, and is therefore run. */
export type CheckedBody = {
  selection_id: string;
  actions: ReturnType<typeof toActions>;
  atomic: boolean;
  detail_limit: number;
  report_filter?: object;
};
type Props = {
  report: Preflight;
  body: CheckedBody;
  actions: ReadonlyArray<OperationAction | undefined>;
  costs: Costs | undefined;
  draft: Draft;
  leftOut: ReadonlySet<string>;
  onLeaveOut(codes: ReadonlySet<string>): void;
  isStale: boolean;
  onCheckAgain(): void;
};

/** From this many orders, the user must type the count: it catches a wrong filter. */
const manyOrders = 1_000;

export function RunBar({ report, body, actions, costs, draft, leftOut, onLeaveOut, isStale, onCheckAgain }: Props) {
  const me = useMe();
  const router = useRouter();
  const [isAsking, setAsking] = useState(false);
  const [isCurl, setCurl] = useState(false);
  const { groups } = report;
  const blockedCodes = [...new Set(groups.filter(({ verdict }) => verdict === "blocked").map(({ code }) => code))];
  const isWithoutBlocked = blockedCodes.length > 0 && blockedCodes.every((code) => leftOut.has(code));
  const out = countOut(report, leftOut);
  const count = report.summary.orders - report.summary.not_found - out.count;
  const used = [...leftOut].filter((code) => groups.some((group) => group.code === code));
  const { detail_limit: _limit, report_filter: _filter, ...rest } = body;
  const request = {
    ...rest,
    preflight_token: report.preflight_token,
    on_drift: "reject" as const,
    ...(used.length > 0 ? { exclude_codes: used } : {}),
    ...(draft.preset ? { note: draft.preset.name, pipeline_id: draft.preset.id } : {}),
  };
  const run = useMutation({
    mutationFn: () => hub.call("POST /api/v1/operations/run", { body: request, prefer: "respond-async" }),
    onSuccess: (started) => {
      void queryClient.invalidateQueries({ queryKey: ["operations"], refetchType: "none" });
      void queryClient.invalidateQueries({ queryKey: ["orders"], refetchType: "none" });
      router.history.push(paths.run(started.id));
    },
    onSettled: () => setAsking(false),
  });
  const lasting = actions.flatMap((action, at) => (action && !action.reversible ? [at + 1] : []));
  const leaving = actions.flatMap((action, at) => (action?.effect === "external" ? [at + 1] : []));
  const isLive = me.environment === "live";
  const mustType = isLive && (lasting.length > 0 || leaving.length > 0 || count > manyOrders);
  const reason =
    missingScope(me, "operations:run") ??
    (isStale ? "The preview is being updated." : count === 0 ? "No order is left to change." : undefined);
  const start = (): void => {
    if (reason || run.isPending) return;
    if (mustType) setAsking(true);
    else run.mutate();
  };
  useHotkeys([{ keys: "$mod+Enter", name: "Run the previewed changes", run: start }]);
  const isDrifted = run.error instanceof HubApiError && run.error.code === "orders_drifted";
  return (
    <div className="sticky -bottom-4 z-20 mt-2.5 -mb-4 border-t border-line bg-bg pt-2.5 pb-6">
      {run.error && (
        <div className="mb-2">
          <ProblemBox error={run.error}>
            {isDrifted && <Button onClick={() => (run.reset(), onCheckAgain())}>Update preview</Button>}
          </ProblemBox>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        {report.summary.blocked > 0 && (
          <Checkbox
            label={`Exclude ${plural(report.summary.blocked, "order")} that cannot change`}
            isChecked={isWithoutBlocked}
            onChange={(isOn) =>
              onLeaveOut(
                new Set(
                  isOn ? [...leftOut, ...blockedCodes] : [...leftOut].filter((code) => !blockedCodes.includes(code)),
                ),
              )
            }
          />
        )}
        {lasting.length > 0 && <span className="text-muted">{stepsText(lasting)} cannot be undone.</span>}
        <span className="flex-1" />
        <Button kind="quiet" onClick={() => setCurl(true)}>
          Show as curl
        </Button>
        <Button onClick={onCheckAgain} isBusy={isStale}>
          Update preview
        </Button>
        <Button kind="primary" keys="$mod+Enter" disabledReason={reason} isBusy={run.isPending} onClick={start}>
          Run on {out.isExact ? "" : "at least "}
          {formatCount(count)} {isLive ? "live " : ""}
          {count === 1 ? "order" : "orders"}
        </Button>
      </div>
      {isAsking && (
        <ConfirmCount
          onClose={() => setAsking(false)}
          count={count}
          isBusy={run.isPending}
          onRun={() => run.mutate()}
          reasons={[
            ...(costs?.spends ? [`${upperFirst(costs.text)}.`] : []),
            ...(leaving.length > 0 ? [`${stepsText(leaving)} changes other systems.`] : []),
            ...(lasting.length > 0 ? [`${stepsText(lasting)} cannot be undone.`] : []),
            ...(count > manyOrders ? [`${plural(count, "live order")} will change.`] : []),
          ]}
        />
      )}
      <Dialog title="Request as curl" isOpen={isCurl} onClose={() => setCurl(false)} isWide>
        <Curl
          text={curlOf({
            method: "POST",
            url: "/api/v1/operations/run",
            headers: { "content-type": "application/json" },
            body: request,
          })}
        />
      </Dialog>
    </div>
  );
}

function Curl({ text }: { text: string }) {
  return (
    <>
      <pre className="mb-2 rounded-md bg-bg p-2 font-mono text-sm break-all whitespace-pre-wrap">{text}</pre>
      <CopyText text={text} label="Copy">
        {""}
      </CopyText>
    </>
  );
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const stepsText = (steps: number[]): string => `${steps.length === 1 ? "Step" : "Steps"} ${steps.join(", ")}`;

/** An order can be in several groups, so the sum is an upper bound. */
function countOut({ groups, summary }: Preflight, codes: ReadonlySet<string>): { count: number; isExact: boolean } {
  const out = groups.filter(({ code }) => codes.has(code));
  const blocked = groups.filter(({ verdict }) => verdict === "blocked");
  const warned = out.filter(({ verdict }) => verdict === "warning");
  const isAllBlocked = blocked.length > 0 && blocked.every(({ code }) => codes.has(code));
  const sum = (list: typeof groups): number => list.reduce((total, { count }) => total + count, 0);
  if (isAllBlocked && warned.length === 0) return { count: summary.blocked, isExact: true };
  const most = Math.min(sum(out), summary.blocked + summary.warning);
  return { count: most, isExact: out.length <= 1 };
}
