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
import type { Organization } from "./organizations.queries.ts";
import { organizationsQuery } from "./organizations.queries.ts";

const columns: Array<ListColumn<Organization>> = [
  {
    name: "Name",
    className: "max-w-72 truncate",
    cell: (one) => (
      <>
        <span className="font-medium">{one.name}</span> {one.isHubOperator && <Badge tone="info">runs this hub</Badge>}
      </>
    ),
  },
  { name: "Time zone", className: "text-muted", cell: (one) => one.timezone },
  {
    name: "May call",
    className: "text-muted",
    cell: (one) => (one.outboundHosts.length === 0 ? "every public host" : plural(one.outboundHosts.length, "host")),
  },
  { name: "Codes", className: "text-muted", cell: (one) => (one.requiresTotp ? "wanted" : "as people like") },
  { name: "Made", className: "whitespace-nowrap", cell: (one) => <Time at={one.createdAt} /> },
];

/** Organizations of this hub. Their data is isolated from each other. */
export function OrganizationsPage() {
  const me = useMe();
  const organizations = useQuery(organizationsQuery(usePage()));
  const [isMaking, setMaking] = useState(false);
  const refused = missingScope(me, "organizations:write");
  return (
    <>
      <PageHead title="Organizations" note={refused && "yours; those who run the hub see all"}>
        <Button kind="primary" disabledReason={refused} onClick={() => setMaking(true)}>
          New organization
        </Button>
      </PageHead>
      <ListCard
        label="Organizations"
        query={organizations}
        columns={columns}
        idOf={(one) => one.id}
        empty={<Empty text="There is none on this page." />}
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
      showToast(`${name} is there`, { text: `${email.trim()} can sign in now.` });
      onClose();
    },
  });
  const { name, email, password } = form.draft;
  const reason =
    (!name.trim() && "Give it a name.") ||
    (!email.includes("@") && "Say who administers it.") ||
    (password.length < 10 && "A first password of at least 10 characters is needed.");
  return (
    <FormDialog title="New organization" submit="Make it" reason={reason} form={form} onClose={onClose}>
      <TextField label="Name" {...form.field("name")} maxLength={100} />
      <TextField
        label="E-mail of its first administrator"
        type="email"
        {...form.field("email", "/admin/email")}
        autoComplete="off"
      />
      <TextField
        label="First password"
        hint="Hand it over yourself; they change it under their account."
        {...form.field("password", "/admin/password")}
        autoComplete="new-password"
      />
    </FormDialog>
  );
}
