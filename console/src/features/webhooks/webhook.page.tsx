import type { Webhook } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { Crumbs } from "../../ui/crumbs.tsx";
import { Figures } from "../../ui/figures.tsx";
import { words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { tell } from "../../ui/toast.tsx";
import { formatSpan, Time, useClock } from "../../ui/zone.tsx";
import { Deliveries } from "./deliveries.panel.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookForm } from "./webhook.form.tsx";
import { webhookQuery } from "./webhooks.queries.ts";
import { disabledReasons, healthNames, healthTones, hostOf, webhookTones } from "./webhooks.text.ts";

export function WebhookPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: webhook, error, refetch } = useQuery(webhookQuery(id));
  const { search } = useSearchParams();
  const isEditing = oneOf(search["tab"]) === "settings";
  if (error && !webhook) {
    return (
      <>
        <PageHead
          title={
            <Crumbs href={paths.webhooks()} name="Webhooks">
              Not shown
            </Crumbs>
          }
        />
        <ProblemBox error={error} onRetry={() => void refetch()}>
          <Link href={paths.webhooks()} className={buttonClass("plain")}>
            All webhooks
          </Link>
        </ProblemBox>
      </>
    );
  }
  if (!webhook) return <Skeleton rows={14} />;
  return (
    <>
      <PageHead
        title={
          <Crumbs href={paths.webhooks()} name="Webhooks">
            {webhook.description || hostOf(webhook.url)}
          </Crumbs>
        }
        note={<Badge tone={webhookTones[webhook.status] ?? "skip"}>{words(webhook.status)}</Badge>}
      >
        <WebhookActions webhook={webhook} />
      </PageHead>
      <Trouble webhook={webhook} />
      <TabLinks
        label="Webhook"
        tabs={[
          { href: paths.webhook(id), label: "Deliveries", isOn: !isEditing },
          { href: paths.webhook(id, { tab: "settings" }), label: "Settings", isOn: isEditing },
        ]}
      />
      {isEditing ? (
        <WebhookForm webhook={webhook} onDone={() => tell("Webhook changed")} />
      ) : (
        <>
          <State webhook={webhook} />
          <Deliveries webhook={webhook} />
        </>
      )}
    </>
  );
}

function Trouble({ webhook: { status, disabledReason, health } }: { webhook: Webhook }) {
  const clock = useClock();
  if (status === "disabled") {
    return (
      <p className="mb-2.5 rounded-lg border border-bad bg-bad-soft px-3 py-2">
        <span className="font-medium text-bad">The hub has stopped delivering.</span>{" "}
        {disabledReasons[disabledReason ?? ""] ?? ""} Nothing is lost: what happens meanwhile is kept until it is
        enabled.
      </p>
    );
  }
  if (health.status !== "failing") return null;
  return (
    <p className="mb-2.5 rounded-lg border border-warn bg-warn-soft px-3 py-2">
      <span className="font-medium text-warn">
        The endpoint fails
        {health.failingSince && clock.now() - Date.parse(health.failingSince) > 60_000
          ? `, for ${formatSpan(clock.now() - Date.parse(health.failingSince))} now`
          : ""}
        .
      </span>{" "}
      {health.lastError?.message}
      {health.nextProbeAt && (
        <>
          {" "}
          It is tried again <Time at={health.nextProbeAt} />.
        </>
      )}
    </p>
  );
}

function State({ webhook }: { webhook: Webhook }) {
  const { health } = webhook;
  return (
    <div className="mb-3 flex flex-col gap-2">
      <p className="min-w-0 text-muted">
        <span className="font-mono text-sm break-all text-text">{webhook.url}</span> is told of{" "}
        {webhook.types.join(", ")}
      </p>
      <Figures
        label="How it is doing"
        figures={[
          {
            label: "endpoint",
            value: (
              <Badge tone={healthTones[health.status] ?? "skip"}>{healthNames[health.status] ?? health.status}</Badge>
            ),
          },
          { label: "deliveries that wait", value: webhook.waiting },
          {
            label: "last taken",
            value: (
              <span className="text-base">
                <Time at={health.lastSuccessAt} />
              </span>
            ),
          },
          {
            label: "failures in a row",
            value: health.consecutiveFailures,
            tone: "bad",
          },
        ]}
      />
    </div>
  );
}
