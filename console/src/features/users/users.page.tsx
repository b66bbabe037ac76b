import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { AddUser } from "./add-user.tsx";
import { InvitationList } from "./invitation-list.tsx";
import { InviteUser } from "./invite-user.tsx";
import type { User, UserFilter } from "./users.queries.ts";
import { usersQuery } from "./users.queries.ts";
import { roleName, statusName } from "./role-names.pick.ts";

const columns: Array<ListColumn<User>> = [
  {
    name: "E-mail",
    className: "max-w-72 truncate",
    cell: (user) => <RecordLink href={paths.user(user.id)}>{user.email}</RecordLink>,
  },
  { name: "Name", className: "max-w-56 truncate", cell: (user) => user.name },
  { name: "Role", cell: (user) => roleName(user.role) },
  {
    name: "State",
    cell: (user) => <Badge tone={user.status === "active" ? "ok" : "skip"}>{statusName(user.status)}</Badge>,
  },
  {
    name: "Signs in with",
    className: "text-muted",
    cell: (user) => (user.hasPassword ? "Password" : "Identity provider"),
  },
  {
    name: "Last signed in",
    className: "whitespace-nowrap",
    cell: (user) =>
      user.lastSignedInAt ? <Time at={user.lastSignedInAt} /> : <span className="text-muted">Never</span>,
  },
];

const tabs: Array<[label: string, query: Record<string, string>]> = [
  ["All", {}],
  ["Admins", { role: "admin" }],
  ["Operators", { role: "operator" }],
  ["Viewers", { role: "viewer" }],
  ["Disabled", { status: "disabled" }],
];

/** Users and their roles. */
export function UsersPage() {
  const { search } = useSearchParams();
  const filter = { role: oneOf(search["role"]), status: oneOf(search["status"]) } as UserFilter;
  const users = useQuery(usersQuery(filter, usePage()));
  const [adding, setAdding] = useState<"invite" | "add">();
  const refused = missingScope(useMe(), "admin");
  return (
    <>
      <PageHead title="Users">
        <Button disabledReason={refused} onClick={() => setAdding("add")}>
          Add user
        </Button>
        <Button kind="primary" disabledReason={refused} onClick={() => setAdding("invite")}>
          Invite user
        </Button>
      </PageHead>
      <TabLinks
        label="Users by role"
        tabs={tabs.map(([label, query]) => ({
          label,
          href: paths.users(query),
          isOn: filter.role === query["role"] && filter.status === query["status"],
        }))}
      />
      <ListCard
        label="Users"
        query={users}
        columns={columns}
        idOf={(user) => user.id}
        empty={
          <Empty text="No users match these filters.">
            <Button disabledReason={refused} onClick={() => setAdding("invite")}>
              Invite user
            </Button>
          </Empty>
        }
      />
      {!refused && <InvitationList />}
      {adding === "invite" && <InviteUser onClose={() => setAdding(undefined)} />}
      {adding === "add" && <AddUser onClose={() => setAdding(undefined)} />}
    </>
  );
}
