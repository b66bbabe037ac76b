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
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { formatTime, useClock } from "../../ui/zone.tsx";
import { CarrierProgress } from "./carrier-progress.tsx";
import { catalogQuery, preflightQuery, presetsQuery, runQuery, selectionQuery } from "./operations.queries.ts";
import type { Draft } from "./pipeline.ts";
import { empty, fromActions, fromPreset, missingOf, newStep, toActions, useDraft } from "./pipeline.ts";
import { PipelineForm } from "./pipeline.form.tsx";
import type { Show } from "./preflight-view.tsx";
import { PreflightView } from "./preflight-view.tsx";
import type { CheckedBody } from "./run-bar.tsx";
import { RunBar } from "./run-bar.tsx";
import { SavePreset } from "./save-preset.tsx";
import { isOnSteps, stepErrors } from "./step-errors.ts";
import { costsOf } from "./step-prices.ts";

const noActions: OperationAction[] = [];

/** Bulk edit: the selected orders, the steps, and the preview of the changes. */
export function OperatePage() {
  const { search } = useSearchParams();
  const id = oneOf(search["selection"]);
  const selection = useQuery(selectionQuery(id));
  const { data: catalog = noActions, error: catalogError } = useQuery(catalogQuery);
  const [draft, setDraft] = useDraft(id ?? "none");
  const startWith = oneOf(search["step"]);
  useStart(search, catalog, draft, setDraft);
  const [added, setAdded] = useState<number>();
  const actions = draft.steps.map((step) => catalog.find((action) => action.type === step.type));
  const [show, setShow] = useState<Show>();
  const { body, isSettled } = useReadyBody(id, draft, actions, show);
  const asksCarriers = actions.some((action) => action?.asks_carriers);
  const preflight = useQuery(preflightQuery(body, asksCarriers));
  // The screen no longer shows what was checked.
  const isStale = !isSettled || preflight.isPlaceholderData || preflight.isFetching || preflight.error !== null;
  const [chosenOut, setLeftOut] = useState<ReadonlySet<string>>();
  const addStep = (type: string, at: number): void => {
    const action = catalog.find((one) => one.type === type);
    if (!action) return;
    const step = newStep(action);
    setDraft((before) => ({ ...before, preset: undefined, steps: before.steps.toSpliced(at, 0, step) }));
    setAdded(step.key);
  };
  const clock = useClock();
  const errors = useMemo(() => stepErrors(preflight.error), [preflight.error]);
  const failed = selection.error ?? catalogError;
  if (!id || failed) return <NoOrders error={failed} />;
  const report = body ? preflight.data : undefined;
  // Blocked orders are excluded by default.
  const leftOut =
    chosenOut ?? new Set(report?.groups.filter(({ verdict }) => verdict === "blocked").map(({ code }) => code));
  const costs = report && costsOf(report, actions, draft, leftOut);
  const scope = selection.data
    ? `${plural(selection.data.matched, "order")}, selected ${formatTime(selection.data.as_of, clock, true)}`
    : "";
  return (
    <>
      <PageHead title="Bulk edit" note={scope} />
      <div className="grid items-start gap-3.5 lg:grid-cols-[308px_minmax(0,1fr)]">
        <section aria-label="Steps">
          <Heading title="Steps">
            <SavePreset draft={draft} actions={actions} />
          </Heading>
          <PipelineForm {...{ draft, catalog, errors, startWith, added }} onChange={setDraft} />
        </section>
        <section aria-label="Preview of changes" className="min-w-0">
          <Heading
            title="Preview of changes"
            note={report ? `of ${plural(report.summary.orders, "order")}` : undefined}
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
              <Empty text="The preview was cancelled.">
                <Button onClick={() => void preflight.refetch()}>Update preview</Button>
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
              onAddStep={addStep}
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

function NoOrders({ error }: { error: Error | null }) {
  return (
    <>
      <PageHead title="Bulk edit" />
      {error ? (
        <ProblemBox error={error}>
          <Link href={paths.orders()} className={buttonClass("plain")}>
            Select orders again
          </Link>
        </ProblemBox>
      ) : (
        <Empty text="Select orders in the list, then press E.">
          <Link href={paths.orders()} className={buttonClass("primary")}>
            Select orders
          </Link>
        </Empty>
      )}
    </>
  );
}

function Waiting({ draft }: { draft: Draft }) {
  return (
    <div className="rounded-lg border border-dashed border-line-strong">
      <Empty
        text={
          draft.steps.length === 0
            ? "Add a step. The change of each order is shown here before anything is changed."
            : "Complete the steps. The preview then starts automatically."
        }
      />
    </div>
  );
}

/**
 * Fills the empty draft once from the address: a step, such as that of a quick action; the steps of a run, from the step `at` on; or
 * a preset. Later edits belong to the draft.
 */
function useStart(
  search: Search,
  catalog: readonly OperationAction[],
  draft: Draft,
  setDraft: (draft: Draft) => void,
): void {
  const [isTaken, setTaken] = useState(false);
  const [type, runId, presetId] = [oneOf(search["step"]), oneOf(search["run"]), oneOf(search["preset"])];
  const { data: presets } = useQuery(presetsQuery);
  const { data: run } = useQuery({ ...runQuery(runId ?? ""), enabled: runId !== undefined });
  const action = catalog.find((one) => one.type === type);
  const preset = presets?.find((one) => one.id === presetId);
  const isReady = (!type || action) && (!runId || run) && (!presetId || preset);
  if (isTaken || !isReady || draft.steps.length > 0 || !(type || runId || presetId)) return;
  setTaken(true);
  if (preset) {
    setDraft(fromPreset(preset));
    return;
  }
  const first = action ? [newStep(action)] : [];
  const at = Number(oneOf(search["at"]) ?? 0);
  const rest = run ? fromActions(run.actions.slice(at), { isAtomic: run.atomic, onError: run.on_error }) : empty;
  setDraft({ ...rest, steps: [...first, ...rest.steps] });
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
