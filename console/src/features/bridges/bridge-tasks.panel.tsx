import type { Bridge, BridgeTask } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Tag } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { pickEntity } from "../pick/entity.pick.tsx";
import { bridgeCan } from "./bridge.can.ts";
import { bridgeTasksQuery } from "./bridges.queries.ts";
import { modeWords } from "./bridges.text.ts";
import { ExecutionLine } from "./execution-line.tsx";

/** The tasks of the bridge, each with its input form and a button to run it. */
export function BridgeTasks({ bridge }: { bridge: Bridge }) {
  const { data: tasks, error, refetch } = useQuery(bridgeTasksQuery(bridge.id));
  const { search, set } = useSearchParams();
  const open = oneOf(search["task"]);
  if (error) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (!tasks) return <Skeleton />;
  const shown = tasks.filter(({ name }) => name !== "connection.test");
  if (shown.length === 0) {
    return (
      <Card>
        <Empty text="This connection has no tasks yet. Define them in its settings.">
          <Link href={paths.bridge(bridge.id, { tab: "settings" })} className={buttonClass("plain")}>
            Settings
          </Link>
        </Empty>
      </Card>
    );
  }
  return (
    <Card label="Tasks">
      <ul>
        {shown.map((task) => (
          <li key={task.name} className="border-b border-line last:border-b-0">
            <button
              type="button"
              aria-expanded={open === task.name}
              onClick={() => set({ task: open === task.name ? undefined : task.name }, "replace")}
              className="flex min-h-9 w-full flex-wrap items-center gap-x-2.5 gap-y-0.5 px-3 py-1.5 text-start hover:bg-skip-soft"
            >
              <Icon name={open === task.name ? "chevron-down" : "chevron-right"} size={12} />
              <span className="font-medium">{task.title}</span>
              <Tag>{modeWords[task.mode] ?? task.mode}</Tag>
              <span className="min-w-0 flex-1 text-muted max-sm:basis-full">{task.description}</span>
            </button>
            {open === task.name && <RunTask bridge={bridge} task={task} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function RunTask({ bridge, task }: { bridge: Bridge; task: BridgeTask }) {
  const me = useMe();
  const [input, setInput] = useState<Record<string, unknown>>({});
  const schema = task.inputSchema as FormSchema;
  const run = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/tasks/execute", {
        body: { bridgeId: bridge.id, taskName: task.name, input: withoutEmpty(input) },
      }),
  });
  const errors = fieldErrors(run.error);
  const isAsked = Object.keys(schema.properties ?? {}).length > 0;
  return (
    <form
      aria-label={task.title}
      className="flex max-w-xl flex-col gap-2.5 px-3 pb-3.5 ps-8"
      onSubmit={(event) => {
        event.preventDefault();
        if (!bridgeCan.run(bridge, me)) run.mutate();
      }}
    >
      {isAsked && (
        <SchemaForm
          schema={schema}
          value={input}
          onChange={setInput}
          errors={errors}
          pointer="/input"
          pickEntity={pickEntity}
        />
      )}
      {run.error && !isAllOnFields(run.error, ["/input"]) && <ProblemBox error={run.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" type="submit" isBusy={run.isPending} disabledReason={bridgeCan.run(bridge, me)}>
          Run now
        </Button>
        <Link href={paths.newSchedule({ bridgeId: bridge.id, taskName: task.name })} className={buttonClass("quiet")}>
          Schedule
        </Link>
        {!task.idempotent && (
          <span className="text-sm text-muted">Not retried automatically when the outcome is unknown.</span>
        )}
      </div>
      {run.data && <ExecutionLine key={run.data.id} id={run.data.id} bridgeId={bridge.id} />}
    </form>
  );
}
