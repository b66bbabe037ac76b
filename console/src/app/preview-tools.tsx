import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { previewClockQuery } from "../live/hub-clock.tsx";
import type { ClockChange } from "../live/preview-clock.ts";
import { setPreviewClock } from "../live/preview-clock.ts";
import { hub, queryClient } from "../live/hub.ts";
import { Button } from "../ui/button.tsx";
import { dayIn } from "../ui/calendar.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ProblemBox } from "../ui/problem-box.tsx";
import { TextField } from "../ui/text-field.tsx";
import { showToast } from "../ui/toast.tsx";
import { formatFull, useClock } from "../ui/zone.tsx";
import { paths } from "./paths.ts";

/** Deletes the changes in the preview and loads the demo data, after a confirmation. */
export function PreviewReset({ onClose }: { onClose(): void }) {
  const router = useRouter();
  return (
    <Confirm
      title="Reset the preview?"
      yes="Reset the preview"
      onClose={onClose}
      run={async () => {
        await hub.call("POST /api/v1/preview/reset");
        router.history.push(paths.overview());
        await queryClient.invalidateQueries();
        showToast("The preview is reset", { text: "The demo data is loaded again." });
      }}
    >
      <p>
        Deletes all data of the preview except organizations, users and API keys, sets its clock to the real time, and
        loads the demo data again. This cannot be undone. Live data does not change.
      </p>
    </Confirm>
  );
}

const hour = 3_600;

/** The preview has a clock of its own, to see what happens tomorrow or at a cut-off time. */
export function PreviewClock({ onClose }: { onClose(): void }) {
  const clock = useClock();
  const { data } = useQuery(previewClockQuery);
  const [day, setDay] = useState(() => dayIn(clock.timeZone, clock.now()));
  const [time, setTime] = useState(() => formatFull(clock.now(), clock).match(/\d\d:\d\d/)?.[0] ?? "09:00");
  const change = useMutation({
    mutationFn: (wanted: ClockChange) => setPreviewClock(wanted, clock.timeZone),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
    },
  });
  const isBusy = change.isPending;
  return (
    <Dialog
      title="Preview clock"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button
            isBusy={isBusy}
            disabledReason={data?.mode === "real" && "The clock shows the real time."}
            onClick={() => change.mutate({ reset: true })}
          >
            Use the real time
          </Button>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p role="status">
          <span className="font-medium">{formatFull(clock.now(), clock)}</span>
          {data?.mode === "frozen" && ", stopped"}
        </p>
        <p className="text-muted">Schedules, holds and due dates of the preview follow this clock.</p>
        <div className="flex flex-wrap gap-2">
          <Button isBusy={isBusy} onClick={() => change.mutate({ advanceSeconds: hour })}>
            1 hour ahead
          </Button>
          <Button isBusy={isBusy} onClick={() => change.mutate({ advanceSeconds: 24 * hour })}>
            1 day ahead
          </Button>
          <Button isBusy={isBusy} onClick={() => change.mutate({ frozen: data?.mode !== "frozen" })}>
            {data?.mode === "frozen" ? "Start the clock" : "Stop the clock"}
          </Button>
        </div>
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate({ day, time });
          }}
        >
          <div className="w-32">
            <TextField label="Date" type="date" value={day} onChange={setDay} />
          </div>
          <div className="w-24">
            <TextField label="Time" type="time" value={time} onChange={setTime} />
          </div>
          <Button type="submit" isBusy={isBusy} disabledReason={(!day || !time) && "Enter a date and a time."}>
            Set the clock
          </Button>
        </form>
        {change.error && <ProblemBox error={change.error} />}
      </div>
    </Dialog>
  );
}
