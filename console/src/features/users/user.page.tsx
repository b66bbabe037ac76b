import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { plural } from "../../ui/format.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Sessions } from "./sessions.pick.tsx";
import type { Role, User } from "./users.queries.ts";
import { readUser, userQuery } from "./users.queries.ts";
import { roleOptions } from "./users.text.ts";

const above = { href: paths.users(), name: "Users" };

export function UserPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(userQuery(id))}>
      {(user) => <Person user={user} key={id} />}
    </RecordPage>
  );
}

type Doing = "disable" | "delete" | "sessions" | "totp";

function Person({ user }: { user: User }) {
  const me = useMe();
  const [doing, setDoing] = useState<Doing>();
  const refused = missingScope(me, "admin");
  const isMe = me.actor.id === user.id;
  const own = isMe && "This is you: another administrator has to do that.";
  return (
    <>
      <PageHead
        above={above}
        title={user.email}
        note={<Badge tone={user.status === "active" ? "ok" : "skip"}>{user.status}</Badge>}
      >
        <Button disabledReason={refused ?? own} onClick={() => setDoing("disable")}>
          {user.status === "active" ? "Disable" : "Enable"}
        </Button>
        <Button kind="danger" disabledReason={refused ?? own} onClick={() => setDoing("delete")}>
          Delete
        </Button>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <Card className="px-3 py-2.5" label="Who it is">
          <UserForm user={user} refused={refused} />
        </Card>
        <div>
          <Heading title="Signed in">
            <Button kind="quiet" disabledReason={refused} onClick={() => setDoing("totp")}>
              Ask for no codes
            </Button>
            <Button disabledReason={refused} onClick={() => setDoing("sessions")}>
              End all
            </Button>
          </Heading>
          <Sessions userId={user.id} />
        </div>
      </div>
      {doing && <Act doing={doing} user={user} onClose={() => setDoing(undefined)} />}
    </>
  );
}

function UserForm({ user, refused }: { user: User; refused: string | undefined }) {
  const form = useRecordForm({
    kind: "users",
    record: user,
    draftOf: ({ name, role }: User) => ({ name, role: role as Role }),
    read: readUser,
    write: (body, { id, version }) => hub.call("PATCH /api/v1/users/{id}", { path: { id }, body, ifMatch: version }),
  });
  return (
    <SaveForm form={form} names={{ name: "Name", role: "Role" }} reason={refused}>
      <TextField label="Name" {...form.field("name")} maxLength={100} />
      <Select label="Role" {...form.field("role")} options={roleOptions} />
    </SaveForm>
  );
}

function Act({ doing, user, onClose }: { doing: Doing; user: User; onClose(): void }) {
  const router = useRouter();
  const path = { id: user.id };
  const isActive = user.status === "active";
  const acts = {
    disable: {
      title: isActive ? `Disable ${user.email}?` : `Enable ${user.email}?`,
      text: isActive
        ? "They are signed out everywhere at once, and keys they made end. It can be taken back; the keys stay ended."
        : "They can sign in again.",
      yes: isActive ? "Disable" : "Enable",
      run: async () => {
        const status = isActive ? ("disabled" as const) : ("active" as const);
        const { apiKeys = [] } = await hub.call("PATCH /api/v1/users/{id}", {
          path,
          body: { status },
          ifMatch: user.version,
        });
        return `${user.email} is ${status}${apiKeys.length > 0 ? `, ${plural(apiKeys.length, "key")} with them` : ""}`;
      },
    },
    delete: {
      title: `Delete ${user.email}?`,
      text: "Keys they made end with them: give those you need a new value first, which makes them yours. What they did stays in the audit log.",
      yes: "Delete",
      run: async () => {
        await hub.call("DELETE /api/v1/users/{id}", { path });
        return `${user.email} is deleted`;
      },
    },
    sessions: {
      title: `Sign ${user.email} out everywhere?`,
      text: "Every browser and program that is signed in as them has to sign in again.",
      yes: "End all sessions",
      run: async () => {
        const { revokedCount } = await hub.call("POST /api/v1/users/{id}/revoke-sessions", { path });
        return `${plural(revokedCount, "session")} revoked`;
      },
    },
    totp: {
      title: `Ask ${user.email} for no codes any more?`,
      text: "For a user who has lost their authenticator app. Check their identity first: afterwards their password alone is enough.",
      yes: "Ask for no codes",
      run: async () => {
        await hub.call("DELETE /api/v1/users/{id}/totp", { path });
        return `${user.email} is asked for no codes`;
      },
    },
  };
  const { title, text, yes, run } = acts[doing];
  const isDeleted = doing === "delete";
  return (
    <Confirm
      title={title}
      yes={yes}
      run={async () => {
        showToast(await run());
        if (isDeleted) router.history.push(paths.users());
        await queryClient.invalidateQueries({ queryKey: ["sessions"] });
        await queryClient.invalidateQueries({ queryKey: ["users"], ...(isDeleted ? { refetchType: "none" } : {}) });
      }}
      onClose={onClose}
    >
      <p>{text}</p>
    </Confirm>
  );
}
