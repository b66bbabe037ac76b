import type { Automation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { Figures } from "../../ui/figures.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { ConditionText } from "../operations/condition.pick.tsx";
import { presetsQuery } from "../operations/operations.queries.ts";
import { AutomationActions } from "./automation-actions.tsx";
import { AutomationTest } from "./automation-test.tsx";
import { AutomationForm } from "./automation.form.tsx";
import { AutomationState } from "./automations.page.tsx";
import { automationQuery } from "./automations.queries.ts";
import { startText, text } from "./automations.text.ts";
import { Invocations } from "./invocations.panel.tsx";

const above = { href: paths.automations(), name: "Automations" };
const tabs = [
  ["", "What it did"],
  ["test", "Test over past days"],
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
        tabs={tabs.map(([name, label]) => ({
          href: paths.automation(id, name ? { tab: name } : {}),
          label,
          isOn: tab === name,
        }))}
      />
      {tab === "settings" ? (
        <AutomationForm automation={automation} onDone={() => showToast("Automation changed")} />
      ) : tab === "test" ? (
        <AutomationTest automation={automation} />
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
  const pipeline = pipelines?.find(({ id }) => id === automation.pipeline_id)?.name ?? "a pipeline";
  return (
    <div className="mb-3 flex flex-col gap-2">
      <p className="text-muted">
        {startText(automation)}
        {automation.when && (
          <>
            , if <ConditionText value={automation.when} />
          </>
        )}
        : <span className="text-text">{pipeline}</span>.{" "}
        {automation.next_run_at && (
          <>
            Next <Time at={automation.next_run_at} />.{" "}
          </>
        )}
        {automation.mode === "preflight" && text.preflight}
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
          <span className="font-medium text-bad">It would do nothing now.</span> {blocked_reason.message}
        </p>
      )}
      <Figures
        label="So far"
        figures={[
          { label: "orders seen", value: counters.evaluated },
          { label: "orders that met it", value: counters.matched },
          { label: "preflights", value: counters.preflights },
          { label: "runs", value: counters.runs },
        ]}
      />
    </div>
  );
}
