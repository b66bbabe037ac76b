import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Heading, Skeleton } from "../../ui/card.tsx";
import { fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import { TextField } from "../../ui/text-field.tsx";
import { useSessionState } from "../../ui/use-session-state.ts";
import { pickEntity } from "../pick/entity.pick.tsx";
import { bridgeCan } from "./bridge.can.ts";
import type { ConnectorInfo } from "./bridges.queries.ts";
import { bridgesQuery, connectorsQuery } from "./bridges.queries.ts";

/** Settings and credentials of a new bridge. */
export function NewBridgePage() {
  const { connector: name } = useParams({ strict: false }) as { connector: string };
  const { data, error, refetch } = useQuery(connectorsQuery);
  const connector = data?.find((one) => one.name === name);
  if (error) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton />;
  if (!connector) {
    return (
      <>
        <PageHead title="New bridge" />
        <Empty text={`There is no connector ${name} in this hub.`}>
          <Link href={paths.newBridge()} className={buttonClass("plain")}>
            Those there are
          </Link>
        </Empty>
      </>
    );
  }
  return <Filled key={name} connector={connector} />;
}

type Draft = { name: string; settings: Record<string, unknown> };

function Filled({ connector }: { connector: ConnectorInfo }) {
  const me = useMe();
  const router = useRouter();
  const { data: others } = useQuery(bridgesQuery(1));
  const [kept, keep] = useSessionState<Draft>(`ooh-bridge-${connector.name}`);
  // Kept out of `useSessionState`: secrets must not reach the session storage.
  const [credentials, setCredentials] = useState<Record<string, unknown>>({});
  const draft = kept ?? { name: freeName(connector.title, others?.data.map((one) => one.name) ?? []), settings: {} };
  const create = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/bridges", {
        body: {
          name: draft.name.trim(),
          connector: connector.name,
          settings: withoutEmpty(draft.settings),
          credentials: withoutEmpty(credentials),
        },
      }),
    onSuccess: async (bridge) => {
      keep(undefined);
      await queryClient.invalidateQueries({ queryKey: ["bridges"] });
      router.history.push(paths.bridge(bridge.id, { test: "now" }));
    },
  });
  const [filled, setFilled] = useState(0);
  const errors = fieldErrors(create.error);
  const settingsSchema = connector.settingsSchema as FormSchema;
  const example = settingsSchema.examples?.[0];
  const credentialsSchema = connector.credentialsSchema as FormSchema;
  const hasCredentials = Object.keys(credentialsSchema.properties ?? {}).length > 0;
  return (
    <>
      <PageHead above={{ href: paths.newBridge(), name: "New bridge" }} title={connector.title} />
      <form
        className="flex max-w-2xl flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (!bridgeCan.create(me)) create.mutate();
        }}
      >
        <p className="mb-3 text-muted">
          {connector.description}
          {isLarge(example) && (
            <>
              {" "}
              <button
                type="button"
                onClick={() => {
                  keep({ ...draft, settings: example });
                  // Remount the fields that keep their own typed text.
                  setFilled(filled + 1);
                }}
                className="min-h-6 text-accent-text underline"
              >
                Begin with an example
              </button>
            </>
          )}
        </p>
        {create.error && !isAllOnFields(create.error, ["/name", "/settings", "/credentials"]) && (
          <div className="mb-3">
            <ProblemBox error={create.error} />
          </div>
        )}
        <Card className="mb-3.5 flex flex-col gap-2.5 px-3.5 py-3" label="Settings">
          <TextField
            label="Name"
            hint="What people here call it."
            error={errors.get("/name")}
            value={draft.name}
            onChange={(name) => keep({ ...draft, name })}
          />
          <SchemaForm
            key={filled}
            schema={settingsSchema}
            value={draft.settings}
            onChange={(settings) => keep({ ...draft, settings })}
            errors={errors}
            pointer="/settings"
            pickEntity={pickEntity}
          />
        </Card>
        {hasCredentials && (
          <Card className="mb-3.5 px-3.5 py-3" label="Credentials">
            <Heading title="Credentials" note="stored sealed, never shown again" />
            <SchemaForm
              schema={credentialsSchema}
              value={credentials}
              onChange={setCredentials}
              errors={errors}
              pointer="/credentials"
            />
          </Card>
        )}
        <div className="flex items-center gap-2">
          <Button kind="primary" type="submit" isBusy={create.isPending} disabledReason={bridgeCan.create(me)}>
            Connect and test
          </Button>
          <span className="text-muted">Nothing is imported yet.</span>
        </div>
      </form>
    </>
  );
}

/** Examples of more than two fields are offered as a whole; for smaller ones the placeholders suffice. */
const isLarge = (example: unknown): example is Record<string, unknown> =>
  typeof example === "object" && example !== null && Object.keys(example).length > 2;

/** The first unused name: the title, then "title 2" and so on. */
function freeName(title: string, taken: readonly string[]): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? title : `${title} ${count}`;
    if (!taken.includes(name)) return name;
  }
}
