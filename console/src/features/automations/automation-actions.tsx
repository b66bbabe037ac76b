import type { Automation } from "@order-operations-hub/sdk/api-types";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import { showToast } from "../../ui/toast.tsx";
import { automationCan } from "./automation.can.ts";

const renew = () => queryClient.invalidateQueries({ queryKey: ["automations"] });

export function AutomationActions({ automation }: { automation: Automation }) {
  const router = useRouter();
  const refused = automationCan.change(useMe());
  const { id, version } = automation;
  return (
    <>
      <ConfirmButton
        label="Delete"
        title={`Delete ${automation.name}?`}
        yes="Delete"
        disabledReason={refused}
        run={async () => {
          await hub.call("DELETE /api/v1/automations/{id}", { path: { id }, ifMatch: version });
          router.history.replace(paths.automations());
          await renew();
          showToast(`${automation.name} deleted`);
        }}
      >
        <p>Runs that it started are kept.</p>
      </ConfirmButton>
      {automation.is_active ? (
        <ConfirmButton
          kind="plain"
          label="Pause"
          title={`Pause ${automation.name}?`}
          yes="Pause"
          disabledReason={refused}
          run={async () => {
            await hub.call("POST /api/v1/automations/{id}/pause", { path: { id } });
            await renew();
          }}
        >
          <p>The automation does not run or check orders until it is resumed.</p>
        </ConfirmButton>
      ) : (
        <ResumeButton automation={automation} />
      )}
      <ModeButton automation={automation} />
    </>
  );
}

const fromOptions = [
  { value: "now", label: "Only events from now on" },
  { value: "last_position", label: "Also events during the pause" },
];

function ResumeButton({ automation }: { automation: Automation }) {
  const [from, setFrom] = useState("now");
  return (
    <ConfirmButton
      kind="plain"
      label="Resume"
      title={`Resume ${automation.name}?`}
      yes="Resume"
      disabledReason={automationCan.change(useMe())}
      run={async () => {
        await hub.call("POST /api/v1/automations/{id}/resume", {
          path: { id: automation.id },
          body: { from: from as "now" },
        });
        await renew();
      }}
    >
      <p>From then on the automation runs with your permissions.</p>
      <Select label="Events" value={from} options={fromOptions} onChange={setFrom} />
    </ConfirmButton>
  );
}

/** Switches between preflight and run, showing what the preflights found. */
function ModeButton({ automation }: { automation: Automation }) {
  const me = useMe();
  const isPreflight = automation.mode === "preflight";
  const { counters } = automation;
  const switchTo = async (mode: "preflight" | "run"): Promise<void> => {
    await hub.call("PATCH /api/v1/automations/{id}", {
      path: { id: automation.id },
      ifMatch: automation.version,
      body: { mode },
    });
    await renew();
    showToast(mode === "run" ? `${automation.name} is live` : `${automation.name} is in test mode`);
  };
  if (!isPreflight) {
    return (
      // A new key resets the dialog: it asks another question in the same position.
      <ConfirmButton
        key="preflight"
        kind="plain"
        label="Back to test mode"
        title="Back to test mode?"
        yes="Back to test mode"
        disabledReason={automationCan.change(me)}
        run={() => switchTo("preflight")}
      >
        <p>The automation then only records what it would change. Its earlier runs are kept.</p>
      </ConfirmButton>
    );
  }
  return (
    <ConfirmButton
      key="live"
      kind="primary"
      label="Go live"
      title={`Go live with ${automation.name}?`}
      yes="Go live"
      disabledReason={automationCan.goLive(automation, me)}
      run={() => switchTo("run")}
    >
      <p>
        In test mode it checked {plural(counters.evaluated, "order")}; {formatCount(counters.matched)} matched, in{" "}
        {plural(counters.preflights, "test")}.
      </p>
      <p>
        From now on it changes orders with your permissions, at most {plural(automation.max_orders_per_hour, "order")}{" "}
        per hour. Each time it starts a run, which can be retried and undone.
      </p>
    </ConfirmButton>
  );
}
