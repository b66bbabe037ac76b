import type { ExecutionSummary, Schedule } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Empty, Heading } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { formatCount, formatMs, words } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { ExecutionBadge } from "../tasks/execution-badge.pick.tsx";
import { taskTitle, triggerName } from "../tasks/task-title.pick.ts";
import { BackfillButton } from "./backfill.tsx";
import { scheduleCan } from "./schedule.can.ts";
import { ScheduleForm } from "./schedule.form.tsx";
import { scheduleExecutionsQuery, scheduleQuery } from "./schedules.queries.ts";
import { labelOf, missedOptions, nameOf, overlapOptions } from "./schedules.text.ts";
import { UpcomingRuns } from "./upcoming-runs.tsx";

const above = { href: paths.schedules(), name: "Schedules" };

export function SchedulePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(scheduleQuery(id))}>
      {(schedule) => <ScheduleView schedule={schedule} key={id} />}
    </RecordPage>
  );
}

function ScheduleView({ schedule }: { schedule: Schedule }) {
  const { id } = schedule;
  const { search } = useSearchParams();
  const isEditing = oneOf(search["tab"]) === "settings";
  return (
    <>
      <Head schedule={schedule} />
      <TabLinks
        label="Schedule"
        tabs={[
          { href: paths.schedule(id), label: "Runs", isOn: !isEditing },
          { href: paths.schedule(id, { tab: "settings" }), label: "Settings", isOn: isEditing },
        ]}
      />
      {isEditing ? (
        <ScheduleForm schedule={schedule} onDone={() => showToast("Schedule saved")} />
      ) : (
        <Runs schedule={schedule} />
      )}
    </>
  );
}

const renew = () => queryClient.invalidateQueries({ queryKey: ["schedules"] });

function Head({ schedule }: { schedule: Schedule }) {
  const { id, isActive } = schedule;
  const me = useMe();
  const router = useRouter();
  const refused = scheduleCan.change(me);
  const stopRefused = scheduleCan.stop(me);
  const trigger = useMutation({
    mutationFn: () => hub.call("POST /api/v1/schedules/{id}/trigger", { path: { id } }),
    onSuccess: async ({ executionId }) => {
      await renew();
      showToast("Run started", {
        action: { label: "View", onPick: () => router.history.push(paths.task(executionId)) },
      });
    },
  });
  const toggle = useMutation({
    mutationFn: () =>
      isActive
        ? hub.call("POST /api/v1/schedules/{id}/pause", { path: { id } })
        : hub.call("POST /api/v1/schedules/{id}/resume", { path: { id } }),
    onSuccess: renew,
  });
  return (
    <>
      <PageHead
        above={above}
        title={nameOf(schedule)}
        note={<Badge tone={isActive ? "ok" : "skip"}>{isActive ? "Active" : "Paused"}</Badge>}
      >
        <ConfirmButton
          label="Delete"
          title={`Delete ${nameOf(schedule)}?`}
          yes="Delete"
          disabledReason={stopRefused}
          run={async () => {
            await hub.call("DELETE /api/v1/schedules/{id}", { path: { id }, ifMatch: schedule.version });
            router.history.replace(paths.schedules());
            await renew();
            showToast(`${nameOf(schedule)} deleted`);
          }}
        >
          <p>Deletes the schedule. Its executions are kept, and running ones finish.</p>
        </ConfirmButton>
        <BackfillButton schedule={schedule} />
        <Button
          isBusy={toggle.isPending}
          disabledReason={isActive ? stopRefused : refused}
          onClick={() => toggle.mutate()}
        >
          {isActive ? "Pause" : "Resume"}
        </Button>
        <Button kind="primary" isBusy={trigger.isPending} disabledReason={refused} onClick={() => trigger.mutate()}>
          Run now
        </Button>
      </PageHead>
      {[trigger.error, toggle.error].map((error, at) => error && <ProblemBox key={at} error={error} />)}
    </>
  );
}

const columns: Array<ListColumn<ExecutionSummary>> = [
  {
    name: "Started",
    className: "whitespace-nowrap",
    cell: (one) => (
      <RecordLink href={paths.task(one.id)}>
        <Time at={one.startedAt ?? one.createdAt} withSeconds />
      </RecordLink>
    ),
  },
  { name: "Status", cell: (one) => <ExecutionBadge status={one.status} /> },
  {
    name: "Started by",
    className: "whitespace-nowrap text-muted",
    cell: (one) => triggerName(one.trigger),
  },
  { name: "Attempts", isNumber: true, cell: (one) => formatCount(one.attempt) },
  {
    name: "Duration",
    isNumber: true,
    className: "whitespace-nowrap text-muted",
    cell: (one) => (one.durationMs === null ? "–" : formatMs(one.durationMs)),
  },
  { name: "Error", className: "max-w-72 truncate text-bad", cell: (one) => one.error?.message ?? "" },
];

function actorName({ name, email, type }: NonNullable<Schedule["owner"]>): string {
  return name ?? email ?? words(type);
}

function Runs({ schedule }: { schedule: Schedule }) {
  const page = usePage();
  const executions = useQuery(scheduleExecutionsQuery(schedule.id, page));
  const { data: bridges } = useEntityNames("bridge");
  const { counters, lastSkippedRun } = schedule;
  const bridge = bridges?.find(({ id }) => id === schedule.bridgeId);
  return (
    <div className="grid items-start gap-3.5 xl:grid-cols-[360px_minmax(0,1fr)]">
      <Card className="flex flex-col gap-3 px-4 py-3" label="When">
        <p className="text-lg">{schedule.description}</p>
        {schedule.isActive ? (
          <div>
            <Heading title="Next runs" />
            <UpcomingRuns runs={schedule.upcoming} timezone={schedule.timezone} />
          </div>
        ) : (
          <p className="text-muted">
            Paused <Time at={schedule.pausedAt} />
            {schedule.pausedBy && ` by ${actorName(schedule.pausedBy)}`}. Runs during the pause are not caught up.
          </p>
        )}
        {schedule.pauseReason && <p className="text-warn">{schedule.pauseReason.message}</p>}
        {schedule.deferredRunAt && <p className="text-warn">One run is waiting for the previous run to finish.</p>}
        {lastSkippedRun && (
          <p className="text-sm text-warn">
            <Time at={lastSkippedRun.scheduledFor} />: {lastSkippedRun.message}
          </p>
        )}
        <Facts>
          <Fact name="Connection">
            {bridge ? (
              <Link href={paths.bridge(bridge.id)} className="text-accent-text hover:underline">
                {bridge.name}
              </Link>
            ) : (
              "Deleted connection"
            )}
          </Fact>
          <Fact name="Task">{taskTitle(schedule.taskName)}</Fact>
          {schedule.owner && <Fact name="Runs as">{actorName(schedule.owner)}</Fact>}
          <Fact name="If the last run is still going">{labelOf(overlapOptions, schedule.overlap)}</Fact>
          <Fact name="If runs were missed">{labelOf(missedOptions, schedule.missed)}</Fact>
          <Fact name="Runs">{`${formatCount(counters.runs)}, ${formatCount(counters.failures)} failed`}</Fact>
          <Fact name="Skipped">{`${formatCount(counters.skippedForOverlap)} for overlap, ${formatCount(counters.missed)} missed`}</Fact>
        </Facts>
      </Card>
      <div className="min-w-0">
        <ListCard
          label="Executions"
          query={executions}
          columns={columns}
          idOf={(one) => one.id}
          empty={<Empty text="This schedule has not run yet. Use Run now to test it." />}
        />
      </div>
    </div>
  );
}
