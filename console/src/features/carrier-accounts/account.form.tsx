import type { CarrierAccount } from "@order-operations-hub/sdk/api-types";
import type { Input } from "@order-operations-hub/sdk/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { ConflictBox, isConflict } from "../../ui/conflict-box.tsx";
import { FactList } from "../../ui/facts.tsx";
import { errorAt, fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { Icon } from "../../ui/icons.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { Switch } from "../../ui/switch.tsx";
import { inputClass, TextArea, TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import type { CarrierKind } from "./carrier-account.queries.ts";
import { carrierAccountQuery } from "./carrier-account.queries.ts";
import { pickupFacts } from "./carrier-accounts.text.ts";

type Draft = {
  name: string;
  description: string;
  isActive: boolean;
  settings: Record<string, unknown>;
  aliases: Array<[theirs: string, ours: string]>;
};

const draftOf = (account: CarrierAccount): Draft => ({
  name: account.name,
  description: account.description,
  isActive: account.isActive,
  settings: account.settings,
  aliases: Object.entries(account.serviceAliases),
});

function differences(mine: Draft, theirs: Draft): Array<{ name: string; mine: string; theirs: string }> {
  const shown = (draft: Draft): Array<[string, string]> => [
    ["Name", draft.name],
    ["Description", draft.description],
    ["Active", draft.isActive ? "yes" : "no"],
    ["Names of services", aliasText(draft.aliases)],
  ];
  return shown(mine).map(([name, text], at) => ({ name, mine: text, theirs: shown(theirs)[at]![1] }));
}

const aliasText = (aliases: Draft["aliases"]): string => aliases.map(([from, to]) => `${from} → ${to}`).join(", ");

/** What the account is called, whether it is used, and how others call its services. */
export function AccountForm({ account, kind }: { account: CarrierAccount; kind: CarrierKind | undefined }) {
  const me = useMe();
  const [draft, setDraft] = useState(draftOf(account));
  const [known, setKnown] = useState(account);
  const [credentials, setCredentials] = useState<Record<string, unknown>>({});
  const set = (change: Partial<Draft>): void => setDraft({ ...draft, ...change });
  const save = useMutation({
    mutationFn: (version: number) =>
      hub.call("PATCH /api/v1/carrier-accounts/{id}", {
        path: { id: account.id },
        ifMatch: version,
        body: patchOf(known, draft, withoutEmpty(credentials)),
      }),
    onSuccess: (next) => {
      setKnown(next);
      setDraft(draftOf(next));
      setCredentials({});
      queryClient.setQueryData(["carrier-accounts", "one", account.id], next);
      void queryClient.invalidateQueries({ queryKey: ["carrier-accounts"] });
      tell("Saved");
    },
    onError: (error) => {
      if (isConflict(error)) void queryClient.invalidateQueries(carrierAccountQuery(account.id));
    },
  });
  const errors = fieldErrors(save.error);
  const isChanged =
    JSON.stringify(draft) !== JSON.stringify(draftOf(known)) || Object.keys(withoutEmpty(credentials)).length > 0;
  const takeTheirs = (): void => {
    setKnown(account);
    setDraft(draftOf(account));
    save.reset();
  };
  return (
    <div className="grid items-start gap-3.5 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <Card className="px-3 py-2.5" label="Account">
        <div className="flex flex-col gap-2.5">
          {isConflict(save.error) && (
            <ConflictBox
              fields={differences(draft, draftOf(account))}
              isBusy={save.isPending}
              onTakeTheirs={takeTheirs}
              onKeepMine={() => {
                setKnown(account);
                save.mutate(account.version);
              }}
            />
          )}
          {save.error && !isConflict(save.error) && !isAllOnFields(save.error, ["/name", "/description"]) && (
            <ProblemBox error={save.error} />
          )}
          <TextField
            label="Name"
            value={draft.name}
            maxLength={100}
            error={errorAt(errors, "/name")}
            onChange={(name) => set({ name })}
          />
          <TextArea
            label="Description"
            value={draft.description}
            maxLength={500}
            error={errorAt(errors, "/description")}
            onChange={(description) => set({ description })}
          />
          <Switch
            label="Active: used for prices, labels and pickups"
            isOn={draft.isActive}
            onChange={(isActive) => set({ isActive })}
          />
          {hasFields(kind?.settings) && (
            <SchemaForm schema={kind.settings} value={draft.settings} onChange={(settings) => set({ settings })} />
          )}
          {hasFields(kind?.credentials) && (
            <Credentials
              schema={kind.credentials}
              known={account.credentialFields}
              value={credentials}
              onChange={setCredentials}
            />
          )}
          <Aliases aliases={draft.aliases} onChange={(aliases) => set({ aliases })} />
          <div className="flex gap-2">
            <Button
              kind="primary"
              isBusy={save.isPending}
              disabledReason={
                missingScope(me, "carrier_accounts:write") ??
                (isChanged ? (draft.name.trim() === "" ? "It needs a name." : undefined) : "Nothing is changed.")
              }
              onClick={() => save.mutate(known.version)}
            >
              Save
            </Button>
            {isChanged && (
              <Button kind="quiet" onClick={takeTheirs}>
                Take it back
              </Button>
            )}
          </div>
        </div>
      </Card>
      <Card className="px-3 py-2.5" label="Pickup rules">
        <Heading title="Pickup rules" note="times are those of the pickup address" />
        <FactList facts={pickupFacts(account.pickupRules)} />
      </Card>
    </div>
  );
}

const hasFields = (schema: FormSchema | undefined): schema is FormSchema =>
  Object.keys(schema?.properties ?? {}).length > 0;

type CredentialProps = {
  schema: FormSchema;
  known: readonly string[];
  value: Record<string, unknown>;
  onChange(value: Record<string, unknown>): void;
};

function Credentials({ schema, known, value, onChange }: CredentialProps) {
  return (
    <>
      <p className="text-sm text-muted">
        {known.length === 0
          ? "No credentials are set."
          : `Set: ${known.join(", ")}. They are never shown; what is typed here replaces them.`}
      </p>
      <SchemaForm schema={schema} value={value} onChange={onChange} />
    </>
  );
}

type Patch = Input<"PATCH /api/v1/carrier-accounts/{id}">["body"];

/** Only what is different; an alias that is gone is said to be so. */
function patchOf(known: CarrierAccount, draft: Draft, credentials: Record<string, unknown>): Patch {
  const aliases = Object.fromEntries(draft.aliases.filter(([from, to]) => from.trim() !== "" && to.trim() !== ""));
  const gone = Object.keys(known.serviceAliases).filter((name) => !(name in aliases));
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
  return {
    ...(draft.name === known.name ? {} : { name: draft.name.trim() }),
    ...(draft.description === known.description ? {} : { description: draft.description }),
    ...(draft.isActive === known.isActive ? {} : { isActive: draft.isActive }),
    ...(isSame(draft.settings, known.settings) ? {} : { settings: draft.settings }),
    ...(isSame(aliases, known.serviceAliases)
      ? {}
      : { serviceAliases: { ...aliases, ...Object.fromEntries(gone.map((name) => [name, null])) } }),
    ...(Object.keys(credentials).length === 0 ? {} : { credentials }),
  };
}

function Aliases({ aliases, onChange }: { aliases: Draft["aliases"]; onChange(aliases: Draft["aliases"]): void }) {
  const change = (at: number, part: 0 | 1, text: string): void =>
    onChange(aliases.map((pair, index) => (index === at ? (pair.with(part, text) as [string, string]) : pair)));
  return (
    <fieldset className="rounded-md border border-line px-2.5 pt-1 pb-2.5">
      <legend className="px-1 text-sm font-medium text-muted">Names of services</legend>
      <p className="mb-1.5 text-sm text-faint">
        How others call a service, and which service of the rate card that is.
      </p>
      {aliases.map(([from, to], at) => (
        <div key={at} className="mb-1.5 flex items-center gap-1.5">
          <input
            aria-label={`Their name ${at + 1}`}
            className={inputClass}
            value={from}
            maxLength={100}
            onChange={(event) => change(at, 0, event.target.value)}
          />
          <span aria-hidden className="text-faint">
            →
          </span>
          <input
            aria-label={`Service of the card ${at + 1}`}
            className={inputClass}
            value={to}
            maxLength={100}
            onChange={(event) => change(at, 1, event.target.value)}
          />
          <IconButton
            label={`Remove name ${at + 1}`}
            onClick={() => onChange(aliases.filter((_, index) => index !== at))}
          >
            <Icon name="x" />
          </IconButton>
        </div>
      ))}
      <Button onClick={() => onChange([...aliases, ["", ""]])}>
        <Icon name="plus" /> Add a name
      </Button>
    </fieldset>
  );
}
