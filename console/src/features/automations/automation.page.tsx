import type { Automation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { paths } from "../../app/paths.ts";
import { Figures } from "../../ui/figures.tsx";
import { loadPart } from "../../ui/load-part.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { ConditionText } from "../operations/condition.pick.tsx";
import { conditionFieldsQuery, presetsQuery } from "../operations/operations.queries.ts";
import { AutomationActions } from "./automation-actions.tsx";
import { waitDraftOf, waitText } from "./automation-wait.ts";
import { AutomationForm } from "./automation.form.tsx";
import { AutomationState } from "./automations.page.tsx";
import { automationQuery } from "./automations.queries.ts";
import { startText, targetText, text } from "./automations.text.ts";
import { Invocations } from "./invocations.panel.tsx";
import { Waiting } from "./waiting.panel.tsx";

const AutomationTest = lazy(
  loadPart(async () => ({ default: (await import("./automation-test.tsx")).AutomationTest })),
);

const above = { href: paths.automations(), name: "Automations" };
const tabs = [
  ["", "Activity"],
  ["waiting", "Waiting orders"],
  ["test", "Test on past days"],
  ["settings", "Settings"],
] as const;

export function AutomationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(automationQuery(id))}>
      {(automation) => <AutomationView automation={automation} key={id} />}
    </RecordPage>
  );
}

function AutomationView({ automation }: { automation: Automation }) {
  const { id } = automation;
  const { search } = useSearchParams();
  const tab = oneOf(search["tab"]) ?? "";
  return (
    <>
      <PageHead above={above} title={automation.name} note={<AutomationState automation={automation} />}>
        <AutomationActions automation={automation} />
      </PageHead>
      <Summary automation={automation} />
      <TabLinks
        label="Automation"
        tabs={tabs
          .filter(([name]) => name !== "waiting" || automation.wait !== null)
          .map(([name, label]) => ({
            href: paths.automation(id, name ? { tab: name } : {}),
            label,
            isOn: tab === name,
          }))}
      />
      {tab === "settings" ? (
        <AutomationForm automation={automation} onDone={() => showToast("Automation saved")} />
      ) : tab === "waiting" ? (
        <Waiting automation={automation} />
      ) : tab === "test" ? (
        <Suspense>
          <AutomationTest automation={automation} />
        </Suspense>
      ) : (
        <Invocations automation={automation} />
      )}
    </>
  );
}

/** One-sentence summary, the reason it is blocked or paused, and its counters. */
function Summary({ automation }: { automation: Automation }) {
  const { data: pipelines } = useQuery(presetsQuery);
  const { counters, blocked_reason, pause_reason: paused } = automation;
  const { data: fields } = useQuery(conditionFieldsQuery);
  const titleOf = (path: string) => fields?.data.find((field) => field.path === path)?.title ?? path;
  const waits = waitText(waitDraftOf(automation.wait), titleOf);
  const nameOf = (pipelineId: string) => pipelines?.find(({ id }) => id === pipelineId)?.name ?? "a preset";
  return (
    <div className="mb-3 flex flex-col gap-2">
      <p className="text-muted">
        {startText(automation)}
        {automation.when && (
          <>
            , if <ConditionText value={automation.when} />
          </>
        )}
        {waits && `, ${waits}`}: <span className="text-text">{targetText(automation, nameOf)}</span>.{" "}
        {automation.next_run_at && (
          <>
            Next <Time at={automation.next_run_at} />.{" "}
          </>
        )}
        {automation.mode === "preflight" && text.testMode}
      </p>
      {!automation.is_active && paused && (
        <p className="rounded-lg border border-warn bg-warn-soft px-3 py-2">
          <span className="font-medium text-warn">
            Paused <Time at={automation.paused_at} />.
          </span>{" "}
          {paused.message}
        </p>
      )}
      {blocked_reason && (
        <p className="rounded-lg border border-bad bg-bad-soft px-3 py-2">
          <span className="font-medium text-bad">The automation cannot run now.</span> {blocked_reason.message}
        </p>
      )}
      <Figures
        label="Totals"
        figures={[
          { label: "orders checked", value: counters.evaluated },
          { label: "orders matched", value: counters.matched },
          { label: "tests", value: counters.preflights },
          { label: "runs", value: counters.runs },
        ]}
      />
    </div>
  );
}
