import type { Webhook, WebhookDelivery, WebhookDeliverySummary } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, Skeleton } from "../../ui/card.tsx";
import { SidePanel } from "../../ui/dialog.tsx";
import { formatCount, formatMs, sentence, words } from "../../ui/format.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { ResendMany } from "./resend-many.tsx";
import { Sent } from "./webhook-actions.tsx";
import { webhookCan } from "./webhook.can.ts";
import { deliveriesQuery, deliveryQuery } from "./webhooks.queries.ts";
import { deliveryTones } from "./webhooks.text.ts";

const columnsWith = (hrefOf: (id: string) => string): Array<ListColumn<WebhookDeliverySummary>> => [
  {
    name: "Event",
    className: "whitespace-nowrap",
    cell: (one) => (
      <RecordLink href={hrefOf(one.id)} className="font-mono text-sm">
        {one.type}
      </RecordLink>
    ),
  },
  { name: "Status", cell: (one) => <Badge tone={deliveryTones[one.status] ?? "skip"}>{sentence(one.status)}</Badge> },
  {
    name: "Queued",
    className: "whitespace-nowrap text-muted",
    cell: (one) => <Time at={one.createdAt} withSeconds />,
  },
  { name: "Attempts", isNumber: true, cell: (one) => formatCount(one.attemptCount) },
  { name: "Response", isNumber: true, cell: (one) => one.lastResponseStatus ?? "–" },
  {
    name: "Error",
    className: "max-w-80 truncate text-bad",
    cell: (one) => one.lastError?.message ?? "",
  },
  {
    name: "Next attempt",
    className: "whitespace-nowrap text-muted",
    cell: (one) => (one.status === "pending" ? <Time at={one.nextAttemptAt} withSeconds /> : "–"),
  },
];

/** Sent and pending deliveries. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { search, set } = useSearchParams();
  const page = usePage();
  const status = oneOf(search["status"]);
  const deliveries = useQuery(deliveriesQuery(webhook.id, { page, ...(status ? { status: status as "failed" } : {}) }));
  const here = (more: Record<string, string | undefined>): string => paths.webhook(webhook.id, more);
  return (
    <>
      <TabLinks
        label="Deliveries by status"
        tabs={[
          { href: here({}), label: "All", isOn: !status },
          ...["pending", "delivered", "failed", "skipped"].map((name) => ({
            href: here({ status: name }),
            label: sentence(name),
            isOn: status === name,
          })),
        ]}
      >
        <span className="flex-1" />
        <ResendMany webhook={webhook} />
      </TabLinks>
      <ListCard
        label="Deliveries"
        query={deliveries}
        columns={columnsWith((id) => here({ status, page: page > 1 ? String(page) : undefined, open: id }))}
        idOf={(one) => one.id}
        empty={
          <Empty
            text={status ? `No ${words(status)} deliveries.` : "No deliveries yet. Send a test to check the endpoint."}
          />
        }
      />
      <DeliveryPanel webhook={webhook} id={oneOf(search["open"])} onClose={() => set({ open: undefined }, "replace")} />
    </>
  );
}

function DeliveryPanel({ webhook, id, onClose }: { webhook: Webhook; id: string | undefined; onClose(): void }) {
  const { data: delivery, error } = useQuery(deliveryQuery(webhook.id, id));
  return (
    <SidePanel title={delivery?.type ?? "Delivery"} isOpen={id !== undefined} onClose={onClose}>
      {error && <ProblemBox error={error} />}
      {!delivery && !error && <Skeleton />}
      {delivery && <Delivery webhook={webhook} delivery={delivery} />}
    </SidePanel>
  );
}

function Delivery({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const refused = webhookCan.change(useMe());
  const resend = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/resend", {
        path: { id: webhook.id, deliveryId: delivery.id },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["webhooks"] });
      showToast("Delivery resent", { text: "The delivery keeps its ID, so the receiver can recognize a duplicate." });
    },
  });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={deliveryTones[delivery.status] ?? "skip"}>{sentence(delivery.status)}</Badge>
        {delivery.status === "pending" && delivery.nextAttemptAt && (
          <span className="text-muted">
            next attempt <Time at={delivery.nextAttemptAt} withSeconds />
          </span>
        )}
        <span className="flex-1" />
        <Button kind="primary" isBusy={resend.isPending} disabledReason={refused} onClick={() => resend.mutate()}>
          Resend
        </Button>
      </div>
      {resend.error && <ProblemBox error={resend.error} />}
      <ol aria-label="Attempts" className="flex flex-col gap-2">
        {delivery.attempts.toReversed().map((attempt) => (
          <li key={attempt.number} className="rounded-md border border-line px-2.5 py-2">
            <p className="flex flex-wrap items-center gap-x-2">
              <span className="font-medium">Attempt {formatCount(attempt.number)}</span>
              <Badge tone={attempt.error ? "bad" : "ok"}>
                {attempt.responseStatus === null ? "No response" : String(attempt.responseStatus)}
              </Badge>
              <span className="text-muted">
                <Time at={attempt.at} withSeconds />, {formatMs(attempt.durationMs)}
              </span>
            </p>
            {attempt.error && <p className="text-bad">{attempt.error.message}</p>}
            {attempt.responseBody && <Sent label="Response" text={attempt.responseBody} />}
          </li>
        ))}
        {delivery.attempts.length === 0 && <li className="text-muted">Not sent yet.</li>}
      </ol>
      <div>
        <h3 className="mb-1 text-sm font-medium text-muted">Payload</h3>
        {delivery.event ? (
          <JsonView label="Payload" value={delivery.event} />
        ) : (
          <p className="text-muted">Your role has no permission to view events of this type.</p>
        )}
      </div>
    </div>
  );
}
