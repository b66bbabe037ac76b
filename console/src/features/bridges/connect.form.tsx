import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { queryClient } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { hasFields, withoutEmpty } from "../../ui/schema-form/schema.ts";
import { TextField } from "../../ui/text-field.tsx";
import { useSessionState } from "../../ui/use-session-state.ts";
import { pickEntity } from "../pick/entity.pick.tsx";
import { bridgesQuery } from "./bridges.queries.ts";
import { freeName } from "./bridges.text.ts";
import { CredentialsForm } from "./credentials.form.tsx";

type Values = Record<string, unknown>;
type Draft = { name: string; settings: Values };
type Connecting = Draft & { credentials: Values };

type Props = {
  /** Key of the draft in the session storage. */
  draftKey: string;
  title: string;
  intro: ReactNode;
  settingsSchema: FormSchema;
  /** Field of the request that has the settings. */
  settingsPointer: "/settings" | "/variables";
  credentialsSchema: FormSchema;
  /** Why the user may not connect. */
  refused: string | undefined;
  create(connecting: Connecting): Promise<Bridge>;
  /** Further options below the credentials. */
  children?: ReactNode;
};

/** Name, settings and credentials of a new connection, which is tested at once. */
export function ConnectForm(props: Props) {
  const { draftKey, title, intro, settingsSchema, settingsPointer, credentialsSchema, refused, children } = props;
  const router = useRouter();
  const { data: others } = useQuery(bridgesQuery(1));
  const [kept, keep] = useSessionState<Draft>(draftKey);
  // Kept out of `useSessionState`: secrets must not reach the session storage.
  const [credentials, setCredentials] = useState<Values>({});
  const [filled, setFilled] = useState(0);
  const draft = kept ?? { name: freeName(title, others?.data.map((one) => one.name) ?? []), settings: {} };
  const create = useMutation({
    mutationFn: () =>
      props.create({
        name: draft.name.trim(),
        settings: withoutEmpty(draft.settings),
        credentials: withoutEmpty(credentials),
      }),
    onSuccess: async ({ id }) => {
      keep(undefined);
      await queryClient.invalidateQueries({ queryKey: ["bridges"] });
      router.history.push(paths.bridge(id, { test: "now" }));
    },
  });
  const errors = fieldErrors(create.error);
  const example = settingsSchema.examples?.[0];
  return (
    <>
      <PageHead above={{ href: paths.newBridge(), name: "Add connection" }} title={title} />
      <form
        className="flex max-w-2xl flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (!refused) create.mutate();
        }}
      >
        <p className="mb-3 text-muted">
          {intro}
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
                Start with an example
              </button>
            </>
          )}
        </p>
        {create.error && !isAllOnFields(create.error, ["/name", settingsPointer, "/credentials"]) && (
          <div className="mb-3">
            <ProblemBox error={create.error} />
          </div>
        )}
        <Card className="mb-3.5 flex flex-col gap-2.5 px-3.5 py-3" label="Settings">
          <TextField
            label="Name"
            hint="Shown in lists and on orders."
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
            pointer={settingsPointer}
            pickEntity={pickEntity}
          />
        </Card>
        {hasFields(credentialsSchema) && (
          <Card className="mb-3.5 px-3.5 py-3" label="Credentials">
            <Heading title="Credentials" note="stored encrypted, never shown again" />
            <CredentialsForm schema={credentialsSchema} value={credentials} onChange={setCredentials} errors={errors} />
          </Card>
        )}
        {children}
        <div className="flex items-center gap-2">
          <Button kind="primary" type="submit" isBusy={create.isPending} disabledReason={refused}>
            Connect and test
          </Button>
          <span className="text-muted">Tests the connection. Nothing is imported yet.</span>
        </div>
      </form>
    </>
  );
}

/** Examples of more than two fields are offered as a whole; for smaller ones the placeholders suffice. */
const isLarge = (example: unknown): example is Values =>
  typeof example === "object" && example !== null && Object.keys(example).length > 2;
