import type { Schedule } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt, fieldErrors } from "../../ui/field-errors.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useClock } from "../../ui/zone.tsx";
import { scheduleCan } from "./schedule.can.ts";
import type { Backfill } from "./schedules.queries.ts";
import { backfillPreviewQuery } from "./schedules.queries.ts";
import { LocalTime } from "./local-time.tsx";

/** Runs past occurrences that did not run, for example while the hub was down. Occurrences that ran are left out. */
export function BackfillButton({ schedule }: { schedule: Schedule }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button disabledReason={scheduleCan.change(useMe())} onClick={() => setOpen(true)}>
        Backfill
      </Button>
      {isOpen && <BackfillForm schedule={schedule} onClose={() => setOpen(false)} />}
    </>
  );
}

const day = 86_400_000;
const shownRuns = 12;

/** The value of a datetime-local input, in the time zone of the browser. */
const fieldTime = (at: number): string =>
  new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
const isoTime = (typed: string): string | undefined => (typed ? new Date(typed).toISOString() : undefined);
function rangeOf(typed: { from: string; to: string }): { from: string; to: string } | undefined {
  const [from, to] = [isoTime(typed.from), isoTime(typed.to)];
  return from && to ? { from, to } : undefined;
}

function BackfillForm({ schedule, onClose }: { schedule: Schedule; onClose(): void }) {
  const now = useClock().now();
  const form = useCreateForm({
    start: () => ({ from: fieldTime(now - day), to: fieldTime(now) }),
    create: (typed) =>
      hub.call("POST /api/v1/schedules/{id}/backfill", { path: { id: schedule.id }, body: rangeOf(typed)! }),
    refetch: ["schedules"],
    onCreated: ({ summary }) => {
      showToast(`${plural(summary.queued, "execution")} queued`);
      onClose();
    },
  });
  const range = rangeOf(form.draft);
  const preview = useQuery(backfillPreviewQuery(schedule.id, range));
  const error = form.error ?? preview.error;
  const errors = fieldErrors(error);
  const waiting = preview.data && preview.data.summary.occurrences - preview.data.summary.alreadyRan;
  const reason = !range
    ? "Enter both times."
    : preview.error
      ? "Correct the highlighted fields."
      : waiting === 0 && "All runs of this period have run.";
  return (
    <FormDialog
      title="Run missed times"
      submit={waiting ? `Run ${plural(waiting, "execution")}` : "Run"}
      reason={reason}
      form={{ ...form, isBusy: form.isBusy || preview.isFetching, error, fields: ["/from", "/to"] }}
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          type="datetime-local"
          label="From"
          hint="In your browser's time zone."
          {...form.field("from")}
          error={errorAt(errors, "/from")}
        />
        <TextField
          type="datetime-local"
          label="To (not included)"
          {...form.field("to")}
          error={errorAt(errors, "/to")}
        />
      </div>
      {preview.data && <Preview backfill={preview.data} timezone={schedule.timezone} />}
    </FormDialog>
  );
}

function Preview({ backfill: { summary, runs }, timezone }: { backfill: Backfill; timezone: string }) {
  const left = runs.filter(({ outcome }) => outcome !== "already_ran");
  const said = `${plural(summary.occurrences, "run")} in this period, ${formatCount(summary.alreadyRan)} already done.`;
  return (
    <div>
      <p>{summary.occurrences === 0 ? "No runs in this period." : said}</p>
      {left.length > 0 && (
        <ul aria-label="Missed runs" className="mt-1.5 grid grid-cols-2 gap-x-4 tabular-nums text-muted">
          {left.slice(0, shownRuns).map(({ scheduledFor, localTime }) => (
            <li key={scheduledFor}>
              <LocalTime at={localTime} />
            </li>
          ))}
        </ul>
      )}
      {left.length > 0 && (
        <p className="mt-1 text-sm text-faint">
          {left.length > shownRuns && `And ${formatCount(left.length - shownRuns)} more. `}Times of {timezone}.
        </p>
      )}
    </div>
  );
}
