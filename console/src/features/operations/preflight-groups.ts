import type { Preflight } from "./operations.queries.ts";

/** Orders that have the same to say about them: one line instead of five hundred. */
export type PreflightGroup = {
  step: number | undefined;
  verdict: "blocked" | "warning";
  code: string;
  message: string;
  fix: string | undefined;
  count: number;
  sample: string[];
};

type Told = { code: string; message: string; fix?: string };

function toldOf(
  order: Preflight["orders"][number],
): Array<{ step: number | undefined; verdict: "blocked" | "warning"; told: Told }> {
  const own = order.error ? [{ step: undefined, verdict: "blocked" as const, told: order.error }] : [];
  const steps = order.steps.flatMap((step) => [
    ...(step.error ? [{ step: step.index, verdict: "blocked" as const, told: step.error }] : []),
    ...(step.warning ? [{ step: step.index, verdict: "warning" as const, told: step.warning }] : []),
  ]);
  return [...own, ...steps];
}

/** Problems come first in the report, so that the groups are whole as long as all of them are in it. */
export function groupsOf(report: Preflight): PreflightGroup[] {
  const groups = new Map<string, PreflightGroup>();
  for (const order of report.orders) {
    for (const { step, verdict, told } of toldOf(order)) {
      const key = `${verdict} ${step ?? ""} ${told.code} ${told.message}`;
      const name = order.order_number ?? order.ref;
      const group = groups.get(key);
      if (group) {
        group.count++;
        if (group.sample.length < 5) group.sample.push(name);
      } else
        groups.set(key, {
          step,
          verdict,
          code: told.code,
          message: told.message,
          fix: told.fix,
          count: 1,
          sample: [name],
        });
    }
  }
  return [...groups.values()].toSorted((a, b) =>
    a.verdict === b.verdict ? b.count - a.count : a.verdict === "blocked" ? -1 : 1,
  );
}
