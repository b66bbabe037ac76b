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
import { LinkDialog } from "./invite-user.tsx";
import { Sessions } from "./sessions.pick.tsx";
import type { Role, User } from "./users.queries.ts";
import { readUser, userQuery } from "./users.queries.ts";
import { roleOptions, statusName } from "./role-names.pick.ts";

const above = { href: paths.users(), name: "Users" };

export function UserPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(userQuery(id))}>
      {(user) => <Person user={user} key={id} />}
    </RecordPage>
  );
}

type Doing = "disable" | "delete" | "sessions" | "totp" | "password";

function Person({ user }: { user: User }) {
  const me = useMe();
  const [doing, setDoing] = useState<Doing>();
  const [link, setLink] = useState<ResetLink>();
  const refused = missingScope(me, "admin");
  const isMe = me.actor.id === user.id;
  const own = isMe && "This is your own account. Another administrator has to do this.";
  return (
    <>
      <PageHead
        above={above}
        title={user.email}
        note={<Badge tone={user.status === "active" ? "ok" : "skip"}>{statusName(user.status)}</Badge>}
      >
        <Button
          disabledReason={refused ?? (user.status !== "active" && "Enable the user first.")}
          onClick={() => setDoing("password")}
        >
          Reset password
        </Button>
        <Button disabledReason={refused ?? own} onClick={() => setDoing("disable")}>
          {user.status === "active" ? "Disable" : "Enable"}
        </Button>
        <Button kind="danger" disabledReason={refused ?? own} onClick={() => setDoing("delete")}>
          Delete
        </Button>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <Card className="px-3 py-2.5" label="User">
          <UserForm user={user} refused={refused} />
        </Card>
        <div>
          <Heading title="Active sessions">
            <Button kind="quiet" disabledReason={refused} onClick={() => setDoing("totp")}>
              Turn off two-factor sign-in
            </Button>
            <Button disabledReason={refused} onClick={() => setDoing("sessions")}>
              End all sessions
            </Button>
          </Heading>
          <Sessions userId={user.id} />
        </div>
      </div>
      {link && (
        <LinkDialog title="New password" url={link.url} expiresAt={link.expiresAt} onClose={() => setLink(undefined)}>
          {`Copy the link and send it to ${user.email}. It is shown this one time. The current password works until a new one is chosen.`}
        </LinkDialog>
      )}
      {doing && <Act onLink={setLink} doing={doing} user={user} onClose={() => setDoing(undefined)} />}
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

type ResetLink = { url: string; expiresAt: string };
type ActProps = { doing: Doing; user: User; onLink(link: ResetLink): void; onClose(): void };

function Act({ doing, user, onLink, onClose }: ActProps) {
  const router = useRouter();
  const path = { id: user.id };
  const isActive = user.status === "active";
  const acts = {
    disable: {
      title: isActive ? `Disable ${user.email}?` : `Enable ${user.email}?`,
      text: isActive
        ? "The user is signed out everywhere at once, and API keys that the user created stop working. You can enable the user again; the keys stay deleted."
        : "The user can sign in again.",
      yes: isActive ? "Disable" : "Enable",
      run: async () => {
        const status = isActive ? ("disabled" as const) : ("active" as const);
        const { apiKeys = [] } = await hub.call("PATCH /api/v1/users/{id}", {
          path,
          body: { status },
          ifMatch: user.version,
        });
        return `${user.email} is ${status}${apiKeys.length > 0 ? `, ${plural(apiKeys.length, "key")} deleted` : ""}`;
      },
    },
    delete: {
      title: `Delete ${user.email}?`,
      text: "API keys that the user created stop working. Rotate the keys you need first, which makes them yours. The audit log keeps what the user did.",
      yes: "Delete user",
      run: async () => {
        await hub.call("DELETE /api/v1/users/{id}", { path });
        return `${user.email} is deleted`;
      },
    },
    sessions: {
      title: `Sign ${user.email} out everywhere?`,
      text: "Every browser and program that is signed in as this user has to sign in again.",
      yes: "End all sessions",
      run: async () => {
        const { revokedCount } = await hub.call("POST /api/v1/users/{id}/revoke-sessions", { path });
        return `${plural(revokedCount, "session")} revoked`;
      },
    },
    totp: {
      title: `Turn off two-factor sign-in for ${user.email}?`,
      text: "For a user who has lost the authenticator app. Check the identity of the user first: the password alone is enough afterwards.",
      yes: "Turn off",
      run: async () => {
        await hub.call("DELETE /api/v1/users/{id}/totp", { path });
        return `Two-factor sign-in is off for ${user.email}`;
      },
    },
    password: {
      title: `Create a link for a new password for ${user.email}?`,
      text: "The user opens the link and chooses a new password. The link works once, for 24 hours. Choosing a password ends all sessions of the user.",
      yes: "Create link",
      run: async () => {
        onLink(await hub.call("POST /api/v1/users/{id}/password-reset", { path }));
        return "Link created";
      },
    },
  };
  const { title, text, yes, run } = acts[doing];
  const isDeleted = doing === "delete";
  return (
    <Confirm
      title={title}
      yes={yes}
      isDangerous={doing !== "password"}
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
