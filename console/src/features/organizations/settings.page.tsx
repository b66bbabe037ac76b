import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import type { RecordForm } from "../../live/use-record-form.ts";
import { useRecordForm } from "../../live/use-record-form.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { errorAt } from "../../ui/field-errors.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { TokenField } from "../../ui/token-field.tsx";
import { PrintSettingsCard } from "../documents/print-settings.pick.tsx";
import type { Organization } from "./organizations.queries.ts";
import { organizationQuery, readOrganization } from "./organizations.queries.ts";

/** Settings of the organization. Those of the hub are environment variables. */
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
      <PrintSettingsCard />
    </>
  );
}

type Draft = Pick<
  Organization,
  "name" | "timezone" | "outboundHosts" | "emailDomains" | "requiresTotp" | "requiresStepUp"
>;
const names: Record<keyof Draft, string> = {
  name: "Name",
  timezone: "Time zone",
  outboundHosts: "Allowed hosts",
  emailDomains: "E-mail domains",
  requiresTotp: "Authenticator app required",
  requiresStepUp: "Password asked again",
};
const fields = Object.keys(names) as Array<keyof Draft>;

const draftOf = (from: Draft): Draft => Object.fromEntries(fields.map((name) => [name, from[name]])) as Draft;
const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

function SettingsForm({ organization }: { organization: Organization }) {
  const me = useMe();
  const form = useRecordForm<Organization, Draft>({
    kind: "organizations",
    record: organization,
    draftOf,
    read: readOrganization,
    write: (body, { id, version }) =>
      hub.call("PATCH /api/v1/organizations/{id}", { path: { id }, body, ifMatch: version }),
    onSaved: async () => {
      await queryClient.invalidateQueries({ queryKey: ["me"] });
      showToast("Settings saved");
    },
  });
  return (
    <SaveForm
      className="max-w-3xl"
      form={form}
      names={names}
      fields={["/name", "/timezone", "/outboundHosts", "/emailDomains"]}
      reason={missingScope(me, "admin")}
      save="Save settings"
    >
      <SettingsFields form={form} isHubOperator={me.organization.isHubOperator} />
    </SaveForm>
  );
}

function SettingsFields({ form, isHubOperator }: { form: RecordForm<Draft>; isHubOperator: boolean }) {
  const { draft, set } = form;
  return (
    <>
      <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="Organization">
        <Heading title="Organization" />
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label="Name" {...form.field("name")} maxLength={100} />
          <Select
            label="Time zone for reports"
            hint="Days in lists and reports begin and end in this zone."
            {...form.field("timezone")}
            options={[...new Set([draft.timezone, ...zones])].map((zone) => ({
              value: zone,
              label: zone.replaceAll("_", " "),
            }))}
          />
        </div>
      </Card>
      <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="Outbound requests">
        <Heading title="Outbound requests" note="For connections, webhooks and carriers" />
        <TokenField
          label="Allowed hosts"
          hint={
            draft.outboundHosts.length === 0
              ? "All public hosts are allowed. Press Enter to add one; *.example.com allows all its subdomains."
              : "Only these hosts are allowed. Press Enter to add one; *.example.com allows all its subdomains."
          }
          error={errorAt(form.errors, "/outboundHosts")}
          tokens={draft.outboundHosts}
          onChange={(hosts) => set({ outboundHosts: hosts.map((host) => host.toLowerCase()) })}
        />
      </Card>
      <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="Sign-in">
        <Heading title="Sign-in" />
        <Switch
          label="Require an authenticator app for sign-in with a password"
          isOn={draft.requiresTotp}
          onChange={(requiresTotp) => set({ requiresTotp })}
        />
        <Switch
          label="Ask for the password again before sensitive changes (keys, users, connections, carrier accounts)"
          isOn={draft.requiresStepUp}
          onChange={(requiresStepUp) => set({ requiresStepUp })}
        />
        {(isHubOperator || draft.emailDomains.length > 0) && (
          <TokenField
            label="E-mail domains of the identity provider"
            hint="Users of the identity provider with an address in these domains join this organization. Set by the hub operator."
            error={errorAt(form.errors, "/emailDomains")}
            tokens={draft.emailDomains}
            onChange={(emailDomains) => set({ emailDomains })}
          />
        )}
      </Card>
    </>
  );
}
