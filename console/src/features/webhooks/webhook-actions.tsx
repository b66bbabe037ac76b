import type { Webhook } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatCount, formatMs, plural } from "../../ui/format.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { showToast } from "../../ui/toast.tsx";
import { SecretBox } from "./secret-box.tsx";
import { webhookCan } from "./webhook.can.ts";
import { hostOf } from "./webhooks.text.ts";

const renew = () => queryClient.invalidateQueries({ queryKey: ["webhooks"] });

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const me = useMe();
  const router = useRouter();
  const refused = webhookCan.change(me);
  const { id } = webhook;
  return (
    <>
      <ConfirmButton
        label="Delete"
        title={`Delete ${webhook.description || hostOf(webhook.url)}?`}
        yes="Delete"
        disabledReason={refused}
        run={async () => {
          await hub.call("DELETE /api/v1/webhooks/{id}", { path: { id }, ifMatch: webhook.version });
          router.history.replace(paths.webhooks());
          await renew();
          showToast("Webhook deleted");
        }}
      >
        <p>
          No more events are sent to this endpoint.{" "}
          {webhook.pendingCount > 0 &&
            `${plural(webhook.pendingCount, "pending delivery", "pending deliveries")} are discarded.`}
        </p>
      </ConfirmButton>
      <RotateButton webhook={webhook} />
      {webhook.status === "active" ? <PauseButton webhook={webhook} /> : <EnableButton webhook={webhook} />}
      <TestButton webhook={webhook} />
    </>
  );
}

function PauseButton({ webhook }: { webhook: Webhook }) {
  const refused = webhookCan.pause(webhook, useMe());
  return (
    <ConfirmButton
      kind="plain"
      label="Pause"
      title="Pause deliveries?"
      yes="Pause"
      disabledReason={refused}
      run={async () => {
        await hub.call("POST /api/v1/webhooks/{id}/pause", { path: { id: webhook.id } });
        await renew();
      }}
    >
      <p>Nothing is sent while the webhook is paused. Events are kept and sent when it is enabled again.</p>
    </ConfirmButton>
  );
}

const fromOptions = [
  { value: "last_position", label: "Send them" },
  { value: "now", label: "Skip them" },
];

function EnableButton({ webhook }: { webhook: Webhook }) {
  const refused = webhookCan.enable(webhook, useMe());
  const [from, setFrom] = useState("last_position");
  return (
    <ConfirmButton
      kind="primary"
      label="Enable"
      title="Enable the webhook?"
      yes="Enable"
      disabledReason={refused}
      run={async () => {
        await hub.call("POST /api/v1/webhooks/{id}/enable", { path: { id: webhook.id }, body: { from } });
        await renew();
      }}
    >
      <p>{plural(webhook.pendingCount, "delivery is", "deliveries are")} pending.</p>
      <Select label="Events from while it was stopped" value={from} options={fromOptions} onChange={setFrom} />
    </ConfirmButton>
  );
}

const overlaps = [
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
  { value: "0", label: "None: the old secret stops working now" },
];

function RotateButton({ webhook }: { webhook: Webhook }) {
  const [hours, setHours] = useState("24");
  const [made, setMade] = useState<Answer<"POST /api/v1/webhooks/{id}/rotate-secret">>();
  return (
    <>
      <ConfirmButton
        kind="plain"
        label="New secret"
        title="Create a new secret?"
        yes="Create secret"
        disabledReason={webhookCan.change(useMe())}
        run={async () => {
          const body = { overlapHours: Number(hours) };
          setMade(await hub.call("POST /api/v1/webhooks/{id}/rotate-secret", { path: { id: webhook.id }, body }));
          await renew();
        }}
      >
        <Select label="How long both secrets are valid" value={hours} options={overlaps} onChange={setHours} />
      </ConfirmButton>
      <Dialog
        title="New secret"
        isOpen={made !== undefined}
        onClose={() => setMade(undefined)}
        footer={
          <Button kind="primary" onClick={() => setMade(undefined)}>
            I have copied it
          </Button>
        }
      >
        {made && <SecretBox secret={made.secret} publicKey={made.publicKey} />}
      </Dialog>
    </>
  );
}

function TestButton({ webhook }: { webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false);
  const test = useMutation({
    mutationFn: () => hub.call("POST /api/v1/webhooks/{id}/test", { path: { id: webhook.id }, body: {} }),
  });
  const start = (): void => {
    setOpen(true);
    test.mutate();
  };
  return (
    <>
      <Button kind="primary" disabledReason={webhookCan.change(useMe())} onClick={start}>
        Send a test
      </Button>
      <Dialog
        isWide
        title="Test delivery"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        footer={
          <Button isBusy={test.isPending} onClick={() => test.mutate()}>
            Send again
          </Button>
        }
      >
        <div className="flex flex-col gap-3">
          {test.isPending && <p className="text-muted">Sending an example event to {hostOf(webhook.url)}…</p>}
          {test.error && <ProblemBox error={test.error} />}
          {test.data && !test.isPending && <Exchange exchange={test.data} />}
        </div>
      </Dialog>
    </>
  );
}

function Exchange({
  exchange: { ok, durationMs, response, error, request },
}: {
  exchange: Answer<"POST /api/v1/webhooks/{id}/test">;
}) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={ok ? "ok" : "bad"}>{ok ? "Accepted" : "Rejected"}</Badge>
        {response ? `Status ${formatCount(response.status)}` : (error?.message ?? "No response")}, after{" "}
        {formatMs(durationMs)}.
      </p>
      {response?.body && <Sent label="Response" text={response.body} />}
      <Sent label="Request" text={request.body} />
    </>
  );
}

/** Shows JSON as a tree, other text as it is. */
export function Sent({ label, text }: { label: string; text: string }) {
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON.
  }
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium text-muted">{label}</h3>
      {typeof value === "object" && value !== null ? (
        <JsonView label={label} value={value} />
      ) : (
        <pre className="max-h-60 overflow-auto rounded-md border border-line bg-bg p-2 font-mono text-sm whitespace-pre-wrap">
          {text}
        </pre>
      )}
    </div>
  );
}
