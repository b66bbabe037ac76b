import { HubApiError } from "@order-operations-hub/sdk/problem";
import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { paths } from "../../app/paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty, Heading, Skeleton } from "../../ui/card.tsx";
import { plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { formatTime, useClock } from "../../ui/zone.tsx";
import { CarrierProgress } from "./carrier-progress.tsx";
import { catalogQuery, preflightQuery, presetsQuery, selectionQuery } from "./operations.queries.ts";
import type { Draft } from "./pipeline.ts";
import { fromPreset, missingOf, toActions, useDraft } from "./pipeline.ts";
import { PipelineForm } from "./pipeline.form.tsx";
import type { Show } from "./preflight-view.tsx";
import { PreflightView } from "./preflight-view.tsx";
import type { CheckedBody } from "./run-bar.tsx";
import { RunBar } from "./run-bar.tsx";
import { SavePreset } from "./save-preset.tsx";
import { costsOf } from "./step-prices.ts";

const noActions: OperationAction[] = [];

/** Pipeline builder: the selected orders, the steps, and the preflight of what would happen. */
export function OperatePage() {
  const { search } = useSearchParams();
  const id = oneOf(search["selection"]);
  const selection = useQuery(selectionQuery(id));
  const { data: catalog = noActions, error: catalogError } = useQuery(catalogQuery);
  const [draft, setDraft] = useDraft(id ?? "none");
  useTakePreset(oneOf(search["preset"]), draft, setDraft);
  const actions = draft.steps.map((step) => catalog.find((action) => action.type === step.type));
  const [show, setShow] = useState<Show>();
  const { body, isSettled } = useReadyBody(id, draft, actions, show);
  const asksCarriers = actions.some((action) => action?.asks_carriers);
  const preflight = useQuery(preflightQuery(body, asksCarriers));
  // The screen no longer shows what was checked.
  const isStale = !isSettled || preflight.isPlaceholderData || preflight.isFetching || preflight.error !== null;
  const [chosenOut, setLeftOut] = useState<ReadonlySet<string>>();
  const clock = useClock();
  const errors = useMemo(() => stepErrors(preflight.error), [preflight.error]);
  if (!id) {
    return (
      <>
        <PageHead title="Operate" />
        <Empty text="Pick the orders first; then come back with E.">
          <Link href={paths.orders()} className={buttonClass("primary")}>
            To the orders
          </Link>
        </Empty>
      </>
    );
  }
  const failed = selection.error ?? catalogError;
  if (failed) {
    return (
      <>
        <PageHead title="Operate" />
        <ProblemBox error={failed}>
          <Link href={paths.orders()} className={buttonClass("plain")}>
            Pick the orders again
          </Link>
        </ProblemBox>
      </>
    );
  }
  const report = body ? preflight.data : undefined;
  // Blocked orders are excluded by default.
  const leftOut =
    chosenOut ?? new Set(report?.groups.filter(({ verdict }) => verdict === "blocked").map(({ code }) => code));
  const costs = report && costsOf(report, actions, draft, leftOut);
  const scope = selection.data
    ? `${plural(selection.data.matched, "order")}, frozen ${formatTime(selection.data.as_of, clock, true)}`
    : "";
  return (
    <>
      <PageHead title="Operate" note={scope} />
      <div className="grid items-start gap-3.5 lg:grid-cols-[308px_minmax(0,1fr)]">
        <section aria-label="Pipeline">
          <Heading title="Pipeline">
            <SavePreset draft={draft} actions={actions} />
          </Heading>
          <PipelineForm draft={draft} onChange={setDraft} catalog={catalog} errors={errors} />
        </section>
        <section aria-label="What would happen" className="min-w-0">
          <Heading
            title="What would happen"
            note={report ? `checked for ${plural(report.summary.orders, "order")}` : undefined}
          >
            {costs && <strong className="font-medium first-letter:uppercase">{costs.text}</strong>}
          </Heading>
          {preflight.error && !isOnSteps(preflight.error) && (
            <ProblemBox error={preflight.error} onRetry={() => void preflight.refetch()} />
          )}
          {body && preflight.isFetching && asksCarriers && <CarrierProgress />}
          {!report &&
            !preflight.error &&
            (!body ? (
              <Waiting draft={draft} />
            ) : preflight.isFetching ? (
              <Skeleton rows={8} />
            ) : (
              <Empty text="The check was cancelled.">
                <Button onClick={() => void preflight.refetch()}>Check again</Button>
              </Empty>
            ))}
          {report && (
            <PreflightView
              report={report}
              actions={actions}
              isStale={isStale}
              leftOut={leftOut}
              show={show}
              onShow={setShow}
              onLeaveOut={(code, isOut) => setLeftOut(toggled(leftOut, code, isOut))}
            />
          )}
          {report && body && (
            <RunBar
              report={report}
              body={body}
              actions={actions}
              costs={costs}
              draft={draft}
              leftOut={leftOut}
              onLeaveOut={setLeftOut}
              isStale={isStale}
              onCheckAgain={() => void preflight.refetch()}
            />
          )}
        </section>
      </div>
    </>
  );
}

function toggled(set: ReadonlySet<string>, one: string, isOn: boolean): ReadonlySet<string> {
  const next = new Set(set);
  if (isOn) next.add(one);
  else next.delete(one);
  return next;
}

function Waiting({ draft }: { draft: Draft }) {
  return (
    <div className="rounded-lg border border-dashed border-line-strong">
      <Empty
        text={
          draft.steps.length === 0
            ? "Add a step: what would happen to each order is shown here before anything is done."
            : "Complete the steps. The preflight then starts automatically."
        }
      />
    </div>
  );
}

/** Loads a preset from the address once; later edits belong to the draft. */
function useTakePreset(id: string | undefined, draft: Draft, setDraft: (draft: Draft) => void): void {
  const { data: presets } = useQuery(presetsQuery);
  const [taken, setTaken] = useState<string>();
  const preset = presets?.find((one) => one.id === id);
  if (!preset || taken === preset.id || draft.steps.length > 0) return;
  setTaken(preset.id);
  setDraft(fromPreset(preset));
}

const debounceMs = 300;

/** The preflight request, once every step is complete and typing has paused. */
function useReadyBody(
  selectionId: string | undefined,
  draft: Draft,
  actions: ReadonlyArray<OperationAction | undefined>,
  show: Show | undefined,
) {
  const isReady =
    selectionId !== undefined &&
    draft.steps.length > 0 &&
    draft.steps.every((step, at) => actions[at] && missingOf(step, actions[at]).length === 0);
  const text = isReady
    ? JSON.stringify({
        selection_id: selectionId,
        actions: toActions(draft),
        atomic: draft.isAtomic,
        detail_limit: 100,
        ...(show ? { report_filter: show } : {}),
      })
    : "";
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  const ready = text === "" ? "" : settled;
  const body = useMemo(() => (ready === "" ? undefined : (JSON.parse(ready) as CheckedBody)), [ready]);
  return { body, isSettled: ready === text };
}

const stepPointer = /^\/actions\/(\d+)(.*)$/;
const isOnSteps = (error: unknown): boolean =>
  error instanceof HubApiError &&
  error.errors.length > 0 &&
  error.errors.every(({ pointer }) => stepPointer.test(pointer));

/** Field errors by step, shown at their fields. */
function stepErrors(error: unknown): ReadonlyMap<number, Map<string, string>> {
  const found = new Map<number, Map<string, string>>();
  if (!(error instanceof HubApiError)) return found;
  for (const { pointer, message, suggestion } of error.errors) {
    const [, at, rest = ""] = stepPointer.exec(pointer) ?? [];
    if (at === undefined) continue;
    const text = suggestion ? `${message} Did you mean ${suggestion}?` : message;
    const step = found.get(Number(at)) ?? new Map<string, string>();
    found.set(Number(at), step.set(rest, text));
  }
  return found;
}
