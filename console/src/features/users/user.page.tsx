import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveRow } from "../../live/save-row.tsx";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import { Sessions } from "./sessions.pick.tsx";
import type { Role, User } from "./users.queries.ts";
import { readUser, userQuery } from "./users.queries.ts";
import { roleOptions } from "./users.text.ts";

export function UserPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: user, error } = useQuery(userQuery(id));
  if (error && !user) {
    return (
      <>
        <PageHead title="User" />
        <ProblemBox error={error} />
      </>
    );
  }
  return user ? <Person user={user} key={id} /> : <Skeleton rows={8} />;
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
        title={
          <>
            <Link href={paths.users()} className="text-muted hover:underline">
              Users
            </Link>
            <span aria-hidden className="text-faint">
              /
            </span>
            <span className="truncate">{user.email}</span>
          </>
        }
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
    record: user,
    draftOf: ({ name, role }: User) => ({ name, role: role as Role }),
    read: () => readUser(user.id),
    write: (body, { version }) =>
      hub.call("PATCH /api/v1/users/{id}", { path: { id: user.id }, body, ifMatch: version }),
    onSaved: async () => {
      await queryClient.invalidateQueries({ queryKey: ["users"] });
      tell("Saved");
    },
  });
  const { draft, errors } = form;
  return (
    <form className="flex flex-col gap-3" onSubmit={form.submit}>
      <TextField
        label="Name"
        error={errors.get("/name")}
        value={draft.name}
        onChange={(name) => form.set({ name })}
        maxLength={100}
      />
      <Select
        label="Role"
        error={errors.get("/role")}
        value={draft.role}
        options={roleOptions}
        onChange={(role) => form.set({ role: role as Role })}
      />
      <SaveRow form={form} names={{ name: "Name", role: "Role" }} fields={["/name", "/role"]} reason={refused} />
    </form>
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
        const { ended } = await hub.call("POST /api/v1/users/{id}/end-sessions", { path });
        return `${plural(ended, "session")} ended`;
      },
    },
    totp: {
      title: `Ask ${user.email} for no codes any more?`,
      text: "For somebody who has lost their authenticator app. Make sure that it is them: their password alone is enough then.",
      yes: "Ask for no codes",
      run: async () => {
        await hub.call("DELETE /api/v1/users/{id}/totp", { path });
        return `${user.email} is asked for no codes`;
      },
    },
  };
  const act = acts[doing];
  const run = useMutation({
    mutationFn: act.run,
    onSuccess: async (told) => {
      tell(told);
      onClose();
      if (doing === "delete") router.history.push(paths.users());
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      await queryClient.invalidateQueries({
        queryKey: ["users"],
        ...(doing === "delete" ? { refetchType: "none" } : {}),
      });
    },
  });
  return (
    <Confirm
      title={act.title}
      yes={act.yes}
      no="Not now"
      isBusy={run.isPending}
      onYes={() => run.mutate()}
      onClose={onClose}
    >
      <p>{act.text}</p>
      {run.error && <ProblemBox error={run.error} />}
    </Confirm>
  );
}
