import type { Webhook } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useClock } from "../../ui/zone.tsx";
import { webhookCan } from "./webhook.can.ts";

const spans = [
  { value: "1", label: "The last hour" },
  { value: "24", label: "The last 24 hours" },
  { value: "72", label: "The last 3 days" },
  { value: "168", label: "The last 7 days" },
  { value: "720", label: "The last 30 days" },
];
const kinds = [
  { value: "failed", label: "Failed deliveries" },
  { value: "all", label: "All deliveries" },
];

/** Resends the events of a time range. */
export function ResendMany({ webhook }: { webhook: Webhook }) {
  const clock = useClock();
  const [hours, setHours] = useState("72");
  const [include, setInclude] = useState("failed");
  return (
    <ConfirmButton
      kind="quiet"
      label="Resend deliveries"
      title="Resend deliveries?"
      yes="Resend"
      disabledReason={webhookCan.change(useMe())}
      run={async () => {
        const from = new Date(clock.now() - Number(hours) * 3_600_000).toISOString();
        const { estimatedCount, isCapped } = await hub.call("POST /api/v1/webhooks/{id}/resend", {
          path: { id: webhook.id },
          body: { from, include: include as "failed" },
        });
        await queryClient.invalidateQueries({ queryKey: ["webhooks"] });
        showToast(
          isCapped
            ? `More than ${formatCount(estimatedCount)} deliveries are resent`
            : `${plural(estimatedCount, "delivery is", "deliveries are")} resent`,
          { text: "New events are sent first." },
        );
      }}
    >
      <Select label="Time range" value={hours} options={spans} onChange={setHours} />
      <Select label="Deliveries" value={include} options={kinds} onChange={setInclude} />
      <p className="text-muted">Each delivery keeps its ID, so the receiver can recognize duplicates.</p>
    </ConfirmButton>
  );
}
