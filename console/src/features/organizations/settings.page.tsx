import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Refusal } from "../../live/refusal.tsx";
import { useSave } from "../../live/use-save.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { ConflictBox } from "../../ui/conflict-box.tsx";
import { fieldError } from "../../ui/field-error.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import { TokenField } from "../../ui/token-field.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import type { Organization } from "./organizations.queries.ts";
import { organizationQuery, readOrganization } from "./organizations.queries.ts";

/** What the organization can decide for itself. How the hub as a whole runs is set where it is started. */
export function SettingsPage() {
  const me = useMe();
  const { data, error } = useQuery(organizationQuery(me.organization.id));
  return (
    <>
      <PageHead title="Settings" note={me.organization.name}>
        <Link href={paths.account()} className={buttonClass("plain")}>
          My account
        </Link>
      </PageHead>
      {error && !data && <ProblemBox error={error} />}
      {!data && !error && <Skeleton />}
      {data && <SettingsForm organization={data} />}
    </>
  );
}

type Draft = Pick<
  Organization,
  "name" | "timeZone" | "outboundHosts" | "emailDomains" | "requiresTotp" | "requiresStepUp"
>;
const names: Record<keyof Draft, string> = {
  name: "Name",
  timeZone: "Time zone",
  outboundHosts: "Hosts",
  emailDomains: "E-mail domains",
  requiresTotp: "Codes wanted",
  requiresStepUp: "Proof wanted",
};
const fields = Object.keys(names) as Array<keyof Draft>;

const draftOf = (from: Draft): Draft => Object.fromEntries(fields.map((name) => [name, from[name]])) as Draft;
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

function SettingsForm({ organization }: { organization: Organization }) {
  const me = useMe();
  const { base, draft, setDraft, take } = useDraft<Organization, Draft>(organization, draftOf);
  const set = (change: Partial<Draft>): void => setDraft({ ...draft, ...change });
  const saving = useSave<Organization, Partial<Draft>>({
    read: () => readOrganization(organization.id),
    write: (body, ifMatch) =>
      hub.call("PATCH /api/v1/organizations/{id}", { path: { id: organization.id }, body, ifMatch }),
    onSaved: async (saved) => {
      take(saved);
      await queryClient.invalidateQueries({ queryKey: ["organizations"] });
      await queryClient.invalidateQueries({ queryKey: ["me"] });
      tell("Settings saved");
    },
  });
  const changed = fields.filter((name) => !isSame(draft[name], base[name]));
  const patch = Object.fromEntries(changed.map((name) => [name, draft[name]])) as Partial<Draft>;
  const refused = missingScope(me, "admin");
  const { conflict, error } = saving;
  return (
    <form
      className="flex max-w-3xl flex-col gap-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!refused && changed.length > 0) saving.save(patch, base.version);
      }}
    >
      <SettingsFields draft={draft} onChange={set} error={error} isOperator={me.organization.isOperator} />
      {conflict && (
        <ConflictBox
          fields={fields
            .filter((name) => name in conflict.mine)
            .map((name) => ({ name: names[name], theirs: conflict.theirs[name], mine: conflict.mine[name] }))}
          isBusy={saving.isPending}
          onTakeTheirs={() => {
            take(conflict.theirs);
            saving.reset();
          }}
          onKeepMine={() => saving.save(conflict.mine, conflict.theirs.version)}
        />
      )}
      <Refusal error={error} onRepeat={saving.repeat} />
      <div className="flex gap-2">
        <Button
          kind="primary"
          type="submit"
          isBusy={saving.isPending}
          disabledReason={refused ?? (changed.length === 0 && "Nothing is changed.")}
        >
          Save settings
        </Button>
        {changed.length > 0 && (
          <Button kind="quiet" onClick={() => (take(organization), saving.reset())}>
            Undo my changes
          </Button>
        )}
      </div>
    </form>
  );
}

type FieldsProps = { draft: Draft; onChange(change: Partial<Draft>): void; error: Error | null; isOperator: boolean };

function SettingsFields({ draft, onChange, error, isOperator }: FieldsProps) {
  return (
    <>
      <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="Organization">
        <Heading title="Organization" />
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Name of the organization"
            error={fieldError(error, "/name")}
            value={draft.name}
            onChange={(name) => onChange({ name })}
            maxLength={100}
          />
          <Select
            label="Time zone"
            hint="In which its people agree to read times."
            error={fieldError(error, "/timeZone")}
            value={draft.timeZone}
            options={[...new Set([draft.timeZone, ...zones])].map((zone) => ({
              value: zone,
              label: zone.replaceAll("_", " "),
            }))}
            onChange={(timeZone) => onChange({ timeZone })}
          />
        </div>
      </Card>
      <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="Where the hub may call">
        <Heading title="Where the hub may call" note="for bridges, webhooks and carriers" />
        <TokenField
          label="Allowed hosts"
          hint={
            draft.outboundHosts.length === 0
              ? "None named: every public host may be called. Enter adds one; *.example.com is every host below it."
              : "Only these may be called. Enter adds one; *.example.com is every host below it."
          }
          error={fieldError(error, "/outboundHosts")}
          tokens={draft.outboundHosts}
          onChange={(hosts) => onChange({ outboundHosts: hosts.map((host) => host.toLowerCase()) })}
        />
      </Card>
      <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="Signing in">
        <Heading title="Signing in" />
        <Switch
          label="Whoever signs in with a password needs an authenticator app too"
          isOn={draft.requiresTotp}
          onChange={(requiresTotp) => onChange({ requiresTotp })}
        />
        <Switch
          label="Changes of keys, users, bridges and carrier accounts ask once more who one is"
          isOn={draft.requiresStepUp}
          onChange={(requiresStepUp) => onChange({ requiresStepUp })}
        />
        {(isOperator || draft.emailDomains.length > 0) && (
          <TokenField
            label="E-mail domains of the identity provider"
            hint="Whoever has an address of these at the identity provider belongs here. Set by those who run the hub."
            error={fieldError(error, "/emailDomains")}
            tokens={draft.emailDomains}
            onChange={(emailDomains) => onChange({ emailDomains })}
          />
        )}
      </Card>
    </>
  );
}
