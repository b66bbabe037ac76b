import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { valueText } from "../../ui/change-text.ts";
import { ConflictBox, isConflict } from "../../ui/conflict-box.tsx";
import { fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { sentence } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import { pickEntity } from "../pick/entity.pick.tsx";
import { bridgeCan } from "./bridge.can.ts";
import { bridgeQuery, connectorsQuery } from "./bridges.queries.ts";
import { DeleteBridge } from "./delete-bridge.tsx";

type Draft = Pick<Bridge, "name" | "settings" | "isActive" | "concurrency">;
const draftOf = ({ name, settings, isActive, concurrency }: Bridge): Draft => ({
  name,
  settings,
  isActive,
  concurrency,
});

/** A merge patch: what was taken out has to be said. */
function settingsPatch(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const given = withoutEmpty(after);
  const gone = Object.keys(before).filter((name) => !(name in given));
  return { ...given, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

/** What is typed, what it was begun with, and saving it over exactly that: others may change it meanwhile. */
function useSettingsDraft(bridge: Bridge) {
  const [base, setBase] = useState(bridge);
  const [draft, setDraft] = useState(() => draftOf(bridge));
  const [credentials, setCredentials] = useState<Record<string, unknown>>({});
  const take = (now: Bridge): void => {
    queryClient.setQueryData(bridgeQuery(bridge.id).queryKey, now);
    setBase(now);
    setDraft(draftOf(now));
    setCredentials({});
  };
  const save = useMutation({
    mutationFn: (over: Bridge) =>
      hub.call("PATCH /api/v1/bridges/{id}", {
        path: { id: bridge.id },
        ifMatch: over.version,
        body: {
          ...draft,
          settings: settingsPatch(over.settings, draft.settings),
          ...(Object.keys(withoutEmpty(credentials)).length > 0 ? { credentials: withoutEmpty(credentials) } : {}),
        },
      }),
    onSuccess: (saved) => {
      take(saved);
      void queryClient.invalidateQueries({ queryKey: ["bridges"] });
      tell(`${saved.name} saved`);
    },
    onError: (error) => isConflict(error) && void queryClient.invalidateQueries({ queryKey: ["bridges", "one"] }),
  });
  const putBack = (): void => {
    take(bridge);
    save.reset();
  };
  return { base, draft, setDraft, credentials, setCredentials, save, putBack };
}

export function BridgeSettings({ bridge }: { bridge: Bridge }) {
  const refused = bridgeCan.change(useMe());
  const { data: connectors } = useQuery(connectorsQuery);
  const connector = connectors?.find(({ name }) => name === bridge.connector);
  const { base, draft, setDraft, credentials, setCredentials, save, putBack } = useSettingsDraft(bridge);
  const errors = fieldErrors(save.error);
  const needsCredentials = save.error instanceof HubApiError && save.error.code === "credentials_needed";
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(base));
  const hasConflict = isConflict(save.error) && bridge.version !== base.version;
  return (
    <div className="flex max-w-2xl flex-col gap-3.5">
      {hasConflict && (
        <ConflictBox
          fields={conflictFields(draft, bridge, connector?.settingsSchema)}
          isBusy={save.isPending}
          onTakeTheirs={putBack}
          onKeepMine={() => save.mutate(bridge)}
        />
      )}
      {save.error && !isConflict(save.error) && !isAllOnFields(save.error, ["/name", "/settings", "/concurrency"]) && (
        <ProblemBox error={save.error} />
      )}
      <Card className="px-3.5 py-3" label="Settings">
        <form
          className="flex flex-col gap-2.5"
          onSubmit={(event) => {
            event.preventDefault();
            if (!refused) save.mutate(base);
          }}
        >
          <TextField
            label="Name"
            error={errors.get("/name")}
            value={draft.name}
            onChange={(name) => setDraft({ ...draft, name })}
          />
          <div>
            <Switch label="Active" isOn={draft.isActive} onChange={(isActive) => setDraft({ ...draft, isActive })} />
            <p className="text-sm text-faint">Nothing is executed on a bridge that is switched off.</p>
          </div>
          {connector && (
            <SchemaForm
              // Some fields hold what was typed by themselves: another record is another form.
              key={base.version}
              schema={connector.settingsSchema}
              value={draft.settings}
              onChange={(settings) => setDraft({ ...draft, settings })}
              errors={errors}
              pointer="/settings"
              pickEntity={pickEntity}
            />
          )}
          <TextField
            label="Executions at a time (optional)"
            hint="1 to 50. Empty: as its connector recommends."
            type="number"
            min={1}
            max={50}
            error={errors.get("/concurrency")}
            value={draft.concurrency === null ? "" : String(draft.concurrency)}
            onChange={(text) => setDraft({ ...draft, concurrency: text === "" ? null : Number(text) })}
          />
          {needsCredentials && connector && (
            <div>
              <Heading title="Credentials for the new address" />
              <SchemaForm
                schema={connector.credentialsSchema}
                value={credentials}
                onChange={setCredentials}
                errors={errors}
                pointer="/credentials"
              />
            </div>
          )}
          <div className="flex gap-2">
            <Button
              kind="primary"
              type="submit"
              isBusy={save.isPending}
              disabledReason={refused ?? (!isChanged && "Nothing is changed.")}
            >
              Save
            </Button>
            {isChanged && (
              <Button kind="quiet" onClick={putBack}>
                Put back
              </Button>
            )}
          </div>
        </form>
      </Card>
      <DeleteBridge bridge={bridge} refused={refused} />
    </div>
  );
}

function conflictFields(mine: Draft, theirs: Bridge, schema: FormSchema | undefined) {
  const names = [...new Set([...Object.keys(mine.settings), ...Object.keys(theirs.settings)])];
  const text = (value: unknown): string =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : valueText(value);
  return [
    { name: "Name", mine: mine.name, theirs: theirs.name },
    { name: "Active", mine: text(mine.isActive), theirs: text(theirs.isActive) },
    { name: "Executions at a time", mine: text(mine.concurrency), theirs: text(theirs.concurrency) },
    ...names.map((name) => ({
      name: schema?.properties?.[name]?.title ?? sentence(name),
      mine: text(mine.settings[name]),
      theirs: text(theirs.settings[name]),
    })),
  ];
}
