import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Skeleton } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { taskTitle } from "../tasks/task-title.pick.ts";
import { bridgeCan } from "./bridge.can.ts";
import type { DefinitionInfo } from "./bridges.queries.ts";
import { definitionsQuery } from "./bridges.queries.ts";
import { ConnectForm } from "./connect.form.tsx";
import { NoSuchConnection } from "./new-bridge.page.tsx";

/** The values that a ready-made definition asks for. */
export function InstallDefinitionPage() {
  const { definition: name } = useParams({ strict: false }) as { definition: string };
  const { data, error, refetch } = useQuery(definitionsQuery);
  const definition = data?.find((one) => one.name === name);
  if (error) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton />;
  return definition ? <Filled key={name} definition={definition} /> : <NoSuchConnection name={name} />;
}

function Filled({ definition }: { definition: DefinitionInfo }) {
  const me = useMe();
  const cannotSchedule = bridgeCan.schedule(me);
  const [wantsSchedules, setWantsSchedules] = useState(cannotSchedule === undefined);
  const { name, title, description, requiredScopes, schedules } = definition;
  return (
    <ConnectForm
      draftKey={`ooh-definition-${name}`}
      title={title}
      intro={`${description} ${requiredScopes}`}
      settingsSchema={variablesSchema(definition)}
      settingsPointer="/variables"
      credentialsSchema={credentialsSchema(definition)}
      refused={bridgeCan.install(me)}
      create={async (connecting) => {
        const { bridge } = await hub.call("POST /api/v1/bridges/definitions/{name}/install", {
          path: { name },
          body: {
            name: connecting.name,
            variables: connecting.settings as Record<string, string | number>,
            credentials: connecting.credentials as Record<string, string>,
            schedules: wantsSchedules,
          },
        });
        return bridge;
      }}
    >
      {schedules.length > 0 && !cannotSchedule && (
        <div className="mb-3.5">
          <Checkbox
            label={`Run on a schedule: ${schedules.map(({ taskName }) => taskTitle(taskName)).join(", ")}`}
            isChecked={wantsSchedules}
            onChange={setWantsSchedules}
          />
        </div>
      )}
    </ConnectForm>
  );
}

function variablesSchema({ variables }: DefinitionInfo): FormSchema {
  const properties = variables.map(
    ({ name, label, description, example, default: usual, format }): [string, FormSchema] => [
      name,
      {
        type: format === "number" ? "number" : "string",
        title: label,
        ...(description === null ? {} : { description }),
        ...(usual === null ? {} : { default: usual }),
        examples: [example],
      },
    ],
  );
  const required = variables.filter(({ default: usual }) => usual === null).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), required };
}

function credentialsSchema({ credentials }: DefinitionInfo): FormSchema {
  const properties = credentials.map(({ name, label, description, isSecret }): [string, FormSchema] => [
    name,
    {
      type: "string",
      title: label,
      ...(description === null ? {} : { description }),
      ...(isSecret ? { "x-widget": "password" } : {}),
    },
  ]);
  const required = credentials.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), required };
}
