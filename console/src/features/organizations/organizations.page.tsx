import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { fieldError } from "../../ui/field-errors.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { plural } from "../../ui/format.ts";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
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

/** Those who share this hub; none of them sees anything of another. */
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
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const create = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/organizations", {
        body: { name: name.trim(), admin: { email: email.trim(), password } },
      }),
    onSuccess: async (made) => {
      await queryClient.invalidateQueries({ queryKey: ["organizations"] });
      tell(`${made.name} is there`, { text: `${email.trim()} can sign in now.` });
      onClose();
    },
  });
  const reason =
    (!name.trim() && "Give it a name.") ||
    (!email.includes("@") && "Say who administers it.") ||
    (password.length < 10 && "A first password of at least 10 characters is needed.");
  return (
    <FormDialog
      title="New organization"
      submit="Make it"
      reason={reason}
      action={create}
      fields={["/name", "/admin"]}
      onClose={onClose}
    >
      <TextField
        label="Name"
        error={fieldError(create.error, "/name")}
        value={name}
        onChange={setName}
        maxLength={100}
      />
      <TextField
        label="E-mail of its first administrator"
        type="email"
        error={fieldError(create.error, "/admin/email")}
        value={email}
        onChange={setEmail}
        autoComplete="off"
      />
      <TextField
        label="First password"
        hint="Hand it over yourself; they change it under their account."
        error={fieldError(create.error, "/admin/password")}
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
      />
    </FormDialog>
  );
}
