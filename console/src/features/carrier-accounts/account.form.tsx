import type { CarrierAccount } from "@order-operations-hub/sdk/api-types";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import { mergePatch, useRecordForm } from "../../live/use-record-form.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { hasFields, withoutEmpty } from "../../ui/schema-form/schema.ts";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { Switch } from "../../ui/switch.tsx";
import { inputClass, TextArea, TextField } from "../../ui/text-field.tsx";
import type { AccountPatch, CarrierKind } from "./carrier-account.queries.ts";
import { patchCarrierAccount, readCarrierAccount } from "./carrier-account.queries.ts";

type Draft = {
  name: string;
  description: string;
  isActive: boolean;
  comparisonOnly: boolean;
  settings: Record<string, unknown>;
  aliases: Array<[theirs: string, ours: string]>;
  /** Write-only: what is entered replaces what is stored. */
  credentials: Record<string, unknown>;
};

const draftOf = (account: CarrierAccount): Draft => ({
  name: account.name,
  description: account.description,
  isActive: account.isActive,
  comparisonOnly: account.comparisonOnly,
  settings: account.settings,
  aliases: Object.entries(account.serviceAliases),
  credentials: {},
});

const aliasText = (aliases: Draft["aliases"]): string => aliases.map(([from, to]) => `${from} → ${to}`).join(", ");
const names = {
  name: "Name",
  description: "Description",
  isActive: "Active",
  comparisonOnly: "For comparison only",
  settings: "Settings",
  aliases: "Service names",
};

/** Name, status and service aliases of the account. */
export function AccountForm({ account, kind }: { account: CarrierAccount; kind: CarrierKind | undefined }) {
  const me = useMe();
  const form = useRecordForm<CarrierAccount, Draft>({
    kind: "carrier-accounts",
    record: account,
    draftOf,
    read: readCarrierAccount,
    neverShown: ["credentials"],
    write: (change, over, base) => patchCarrierAccount(patchOf(change, base), over),
  });
  const { draft, errors, set } = form;
  return (
    <Card className="px-3 py-2.5" label="Account">
      <SaveForm
        form={form}
        names={names}
        textOf={(part, of) => (part === "aliases" ? aliasText(of.aliases) : of[part])}
        fields={["/name", "/description", "/settings", "/credentials"]}
        reason={missingScope(me, "carrier_accounts:write") ?? (draft.name.trim() ? undefined : "Enter a name.")}
      >
        <TextField label="Name" {...form.field("name")} maxLength={100} />
        <TextArea label="Description" {...form.field("description")} maxLength={500} />
        <Switch
          label="Active: used for prices, labels and pickups"
          isOn={draft.isActive}
          onChange={(isActive) => set({ isActive })}
        />
        <Switch
          label="For comparison only: not used for rate shopping"
          isOn={draft.comparisonOnly}
          onChange={(comparisonOnly) => set({ comparisonOnly })}
        />
        {hasFields(kind?.settings) && (
          <SchemaForm
            schema={kind.settings}
            value={draft.settings}
            onChange={(settings) => set({ settings })}
            errors={errors}
            pointer="/settings"
          />
        )}
        {hasFields(kind?.credentials) && (
          <Credentials
            schema={kind.credentials}
            known={account.credentialFields}
            value={draft.credentials}
            onChange={(credentials) => set({ credentials })}
            errors={errors}
          />
        )}
        {(kind?.usesRateCards !== false || draft.aliases.length > 0) && (
          <Aliases aliases={draft.aliases} onChange={(aliases) => set({ aliases })} />
        )}
      </SaveForm>
    </Card>
  );
}

type Aliased = NonNullable<AccountPatch["serviceAliases"]>;

type CredentialProps = {
  schema: FormSchema;
  known: readonly string[];
  value: Record<string, unknown>;
  onChange(value: Record<string, unknown>): void;
  errors: ReadonlyMap<string, string>;
};

function Credentials({ schema, known, value, onChange, errors }: CredentialProps) {
  return (
    <>
      <p className="text-sm text-muted">
        {known.length === 0
          ? "No credentials are set."
          : `Stored: ${known.map((name) => schema.properties?.[name]?.title ?? name).join(", ")}. They are never shown; a new value replaces the old one.`}
      </p>
      <SchemaForm schema={schema} value={value} onChange={onChange} errors={errors} pointer="/credentials" />
    </>
  );
}

/** Only changed fields; a removed alias is sent as null. */
function patchOf({ aliases, settings, credentials, ...rest }: Partial<Draft>, base: CarrierAccount): AccountPatch {
  const named = aliases?.filter(([from, to]) => from.trim() !== "" && to.trim() !== "");
  return {
    ...rest,
    ...(settings && { settings: mergePatch(base.settings, withoutEmpty(settings)) }),
    ...(credentials && { credentials: withoutEmpty(credentials) }),
    ...(named && { serviceAliases: mergePatch(base.serviceAliases, Object.fromEntries(named)) as Aliased }),
  };
}

function Aliases({ aliases, onChange }: { aliases: Draft["aliases"]; onChange(aliases: Draft["aliases"]): void }) {
  const change = (at: number, part: 0 | 1, text: string): void =>
    onChange(aliases.map((pair, index) => (index === at ? (pair.with(part, text) as [string, string]) : pair)));
  return (
    <fieldset className="rounded-md border border-line px-2.5 pt-1 pb-2.5">
      <legend className="px-1 text-sm font-medium text-muted">Service names</legend>
      <p className="mb-1.5 text-sm text-faint">
        How others call a service, and which service of the rate card that is.
      </p>
      {aliases.map(([from, to], at) => (
        <div key={at} className="mb-1.5 flex items-center gap-1.5">
          <input
            aria-label={`Name in the order ${at + 1}`}
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
