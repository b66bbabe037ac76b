import type { Finding } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { plural } from "../../ui/format.ts";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { FindingFilter } from "./findings.queries.ts";
import { findingStates } from "./findings.text.ts";

type State = (typeof findingStates)[number];
/** One finding is changed only as it is shown here; many, whatever changed since. */
type Decided = { finding: Finding } | { ids: string[] } | { filter: FindingFilter };

const actions: Record<State, { button: string; done: string; what: string; note: string }> = {
  claimed: {
    button: "Mark as claimed",
    done: "marked as claimed",
    what: "You sent them to the carrier. Credits on later invoices are matched automatically.",
    note: "Number of the claim (optional)",
  },
  credited: {
    button: "Mark as credited",
    done: "marked as credited",
    what: "The carrier paid, but no credit on an invoice names the parcel.",
    note: "Note (optional)",
  },
  rejected: {
    button: "Mark as rejected",
    done: "marked as rejected",
    what: "Not worth a claim, or refused by the carrier. Credits are not matched with them.",
    note: "Reason (optional)",
  },
  open: {
    button: "Reopen",
    done: "reopened",
    what: "They count as open again. Another audit may replace them.",
    note: "Note (optional)",
  },
};

type Props = { state: State; decided: Decided; count: number; onDone?(): void };

/** Sets the state of findings, with a note. */
export function DecideButton({ kind = "plain", ...props }: Props & { kind?: "plain" | "primary" | "quiet" }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind={kind} disabledReason={missingScope(useMe(), "invoices:write")} onClick={() => setOpen(true)}>
        {actions[props.state].button}
      </Button>
      {isOpen && <DecideDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function DecideDialog({ state, decided, count, onDone, onClose }: Props & { onClose(): void }) {
  const action = actions[state];
  const form = useCreateForm({
    start: { note: "" },
    create: async ({ note }) => {
      // Without a text, the note that a finding has is kept.
      const body = { state, ...(note.trim() ? { note: note.trim() } : {}) };
      if ("finding" in decided) {
        const { id, version } = decided.finding;
        await hub.call("PATCH /api/v1/findings/{id}", { path: { id }, body, ifMatch: version });
        return 1;
      }
      return (await hub.call("POST /api/v1/findings/update", { body: { ...decided, ...body } })).updated;
    },
    refetch: ["invoices"],
    onCreated: (updated) => {
      showToast(`${plural(updated, "finding")} ${action.done}`);
      onClose();
      onDone?.();
    },
  });
  return (
    <FormDialog
      title={`${action.button}: ${plural(count, "finding")}`}
      form={form}
      submit={count === 1 ? action.button : `${action.button} (${count.toLocaleString("en-US")})`}
      onClose={onClose}
    >
      <p className="text-muted">{action.what}</p>
      <TextField label={action.note} maxLength={500} {...form.field("note")} />
    </FormDialog>
  );
}

/** The states that a finding can be set to. */
export function FindingActions({ finding }: { finding: Finding }) {
  const others = findingStates.filter((state) => state !== finding.state);
  return (
    <div className="flex flex-wrap gap-1.5">
      {others.map((state) => (
        <DecideButton key={state} state={state} decided={{ finding }} count={1} />
      ))}
    </div>
  );
}
