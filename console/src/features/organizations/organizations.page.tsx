import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { plural } from "../../ui/format.ts";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { NewPassword, passwordRule } from "../auth/new-password.pick.tsx";
import type { Organization } from "./organizations.queries.ts";
import { organizationsQuery } from "./organizations.queries.ts";

const columns: Array<ListColumn<Organization>> = [
  {
    name: "Name",
    className: "max-w-72 truncate",
    cell: (one) => (
      <>
        <span className="font-medium">{one.name}</span> {one.isHubOperator && <Badge tone="info">Hub operator</Badge>}
      </>
    ),
  },
  { name: "Time zone", className: "text-muted", cell: (one) => one.timezone },
  {
    name: "Allowed hosts",
    className: "text-muted",
    cell: (one) => (one.outboundHosts.length === 0 ? "All public hosts" : plural(one.outboundHosts.length, "host")),
  },
  { name: "Two-factor", className: "text-muted", cell: (one) => (one.requiresTotp ? "Required" : "Optional") },
  { name: "Created", className: "whitespace-nowrap", cell: (one) => <Time at={one.createdAt} /> },
];

/** Organizations of this hub. Their data is isolated from each other. */
export function OrganizationsPage() {
  const me = useMe();
  const organizations = useQuery(organizationsQuery(usePage()));
  const [isMaking, setMaking] = useState(false);
  const refused = missingScope(me, "organizations:write");
  return (
    <>
      <PageHead title="Organizations" note={refused && "Only yours. Hub operators see all organizations."}>
        <Button kind="primary" disabledReason={refused} onClick={() => setMaking(true)}>
          Create organization
        </Button>
      </PageHead>
      <ListCard
        label="Organizations"
        query={organizations}
        columns={columns}
        idOf={(one) => one.id}
        empty={<Empty text="No organizations on this page." />}
      />
      {isMaking && <NewOrganization onClose={() => setMaking(false)} />}
    </>
  );
}

function NewOrganization({ onClose }: { onClose(): void }) {
  const form = useCreateForm({
    start: { name: "", email: "", password: "" },
    create: ({ name, email, password }) =>
      hub.call("POST /api/v1/organizations", {
        body: { name: name.trim(), admin: { email: email.trim(), password } },
      }),
    refetch: ["organizations"],
    onCreated: ({ name }, { email }) => {
      showToast(`${name} created`, { text: `${email.trim()} can sign in now.` });
      onClose();
    },
  });
  const { name, email, password } = form.draft;
  const reason =
    (!name.trim() && "Enter a name.") ||
    (!email.includes("@") && "Enter the e-mail address of the first administrator.") ||
    passwordRule(password);
  return (
    <FormDialog title="Create organization" submit="Create organization" reason={reason} form={form} onClose={onClose}>
      <TextField label="Name" {...form.field("name")} maxLength={100} />
      <TextField
        label="E-mail of the first administrator"
        type="email"
        {...form.field("email", "/admin/email")}
        autoComplete="off"
      />
      <NewPassword label="First password" {...form.field("password", "/admin/password")} />
      <p className="text-sm text-muted">
        Give the password to the administrator yourself. It can be changed under My account.
      </p>
    </FormDialog>
  );
}
