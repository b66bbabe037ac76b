import type { Webhook } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Figures } from "../../ui/figures.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { showToast } from "../../ui/toast.tsx";
import { formatSpan, Time, useClock } from "../../ui/zone.tsx";
import { useEventNames } from "./event-types.pick.tsx";
import { Deliveries } from "./deliveries.panel.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookForm } from "./webhook.form.tsx";
import { webhookQuery } from "./webhooks.queries.ts";
import { disabledReasons, healthNames, healthTones, hostOf, stateOf } from "./webhooks.text.ts";

const above = { href: paths.webhooks(), name: "Webhooks" };

export function WebhookPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(webhookQuery(id))}>
      {(webhook) => <WebhookView webhook={webhook} key={id} />}
    </RecordPage>
  );
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const { id } = webhook;
  const { search } = useSearchParams();
  const isEditing = oneOf(search["tab"]) === "settings";
  return (
    <>
      <PageHead
        above={above}
        title={webhook.description || hostOf(webhook.url)}
        note={<Badge tone={stateOf(webhook).tone}>{stateOf(webhook).name}</Badge>}
      >
        <WebhookActions webhook={webhook} />
      </PageHead>
      <Problem webhook={webhook} />
      <TabLinks
        label="Webhook"
        tabs={[
          { href: paths.webhook(id), label: "Deliveries", isOn: !isEditing },
          { href: paths.webhook(id, { tab: "settings" }), label: "Settings", isOn: isEditing },
        ]}
      />
      {isEditing ? (
        <WebhookForm webhook={webhook} onDone={() => showToast("Webhook saved")} />
      ) : (
        <>
          <State webhook={webhook} />
          <Deliveries webhook={webhook} />
        </>
      )}
    </>
  );
}

function Problem({ webhook: { status, disabledReason, health } }: { webhook: Webhook }) {
  const clock = useClock();
  if (status === "disabled") {
    return (
      <p className="mb-2.5 rounded-lg border border-bad bg-bad-soft px-3 py-2">
        <span className="font-medium text-bad">Deliveries are stopped.</span>{" "}
        {disabledReasons[disabledReason ?? ""] ?? ""} Events are kept and sent when the webhook is enabled again.
      </p>
    );
  }
  if (health.status !== "failing") return null;
  return (
    <p className="mb-2.5 rounded-lg border border-warn bg-warn-soft px-3 py-2">
      <span className="font-medium text-warn">
        The endpoint is failing
        {health.failingSince && clock.now() - Date.parse(health.failingSince) > 60_000
          ? ` for ${formatSpan(clock.now() - Date.parse(health.failingSince))}`
          : ""}
        .
      </span>{" "}
      {health.lastError?.message}
      {health.nextAttemptAt && (
        <>
          {" "}
          Next attempt: <Time at={health.nextAttemptAt} />.
        </>
      )}
    </p>
  );
}

function State({ webhook }: { webhook: Webhook }) {
  const { health } = webhook;
  const eventNames = useEventNames();
  return (
    <div className="mb-3 flex flex-col gap-2">
      <p className="min-w-0 text-muted">
        <span className="font-mono text-sm break-all text-text">{webhook.url}</span> receives{" "}
        {eventNames(webhook.types)}
      </p>
      <Figures
        label="Health"
        figures={[
          {
            label: "Endpoint",
            value: (
              <Badge tone={healthTones[health.status] ?? "skip"}>{healthNames[health.status] ?? health.status}</Badge>
            ),
          },
          { label: "Pending deliveries", value: webhook.pendingCount },
          {
            label: "Last delivered",
            value: (
              <span className="text-base">
                <Time at={health.lastSuccessAt} />
              </span>
            ),
          },
          {
            label: "Failures in a row",
            value: health.consecutiveFailures,
            tone: "bad",
          },
        ]}
      />
    </div>
  );
}
