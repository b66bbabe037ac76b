import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { sentence } from "../../ui/format.ts";
import { Menu } from "../../ui/menu.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { LinkDialog } from "./invite-user.tsx";
import type { Invitation } from "./users.queries.ts";
import { invitationsQuery } from "./users.queries.ts";

type Doing = { what: "resend" | "revoke"; invitation: Invitation };

const columnsWith = (onDo: (doing: Doing) => void): Array<ListColumn<Invitation>> => [
  { name: "E-mail", className: "max-w-72 truncate", cell: (one) => one.email },
  { name: "Role", cell: (one) => sentence(one.role) },
  {
    name: "State",
    cell: (one) => <Badge tone={one.status === "open" ? "info" : "skip"}>{sentence(one.status)}</Badge>,
  },
  {
    name: "Invited by",
    className: "max-w-56 truncate text-muted",
    cell: ({ createdBy }) => createdBy.email ?? createdBy.name ?? "–",
  },
  {
    name: "Sent",
    className: "whitespace-nowrap",
    cell: (one) => (one.emailedAt ? <Time at={one.emailedAt} /> : <span className="text-muted">By link</span>),
  },
  { name: "Expires", className: "whitespace-nowrap", cell: (one) => <Time at={one.expiresAt} /> },
  {
    name: "",
    isNumber: true,
    cell: (invitation) => (
      <Menu
        label="…"
        name={`Actions for ${invitation.email}`}
        kind="quiet"
        items={[
          {
            label: "Send again",
            note: "Creates a new link. The old one stops working.",
            onPick: () => onDo({ what: "resend", invitation }),
          },
          {
            label: "Revoke",
            note: "The link stops working at once.",
            onPick: () => onDo({ what: "revoke", invitation }),
          },
        ]}
      />
    ),
  },
];

/** Invitations that were not accepted yet; nothing while there are none. */
export function InvitationList() {
  const { data, error } = useQuery(invitationsQuery);
  const [doing, setDoing] = useState<Doing>();
  const [link, setLink] = useState<{ email: string; url: string; expiresAt: string; emailedAt: string | null }>();
  const close = (): void => setDoing(undefined);
  if (error) return <ProblemBox error={error} />;
  return (
    <>
      {data && data.length > 0 && (
        <div className="mt-3.5">
          <Heading title="Invitations" />
          <Card label="Invitations">
            <RowTable label="Open invitations" rows={data} columns={columnsWith(setDoing)} idOf={({ id }) => id} />
          </Card>
        </div>
      )}
      {doing && <Act {...doing} onLink={setLink} onClose={close} />}
      {link && (
        <LinkDialog
          title={`Invitation for ${link.email}`}
          url={link.url}
          expiresAt={link.expiresAt}
          onClose={() => setLink(undefined)}
        >
          {link.emailedAt
            ? `The new link was sent to ${link.email}. The old one no longer works.`
            : `Copy the new link and send it to ${link.email}. The old one no longer works.`}
        </LinkDialog>
      )}
    </>
  );
}

type ActProps = Doing & {
  onLink(link: { email: string; url: string; expiresAt: string; emailedAt: string | null }): void;
  onClose(): void;
};

function Act({ what, invitation, onLink, onClose }: ActProps) {
  const path = { id: invitation.id };
  const isRevoking = what === "revoke";
  return (
    <Confirm
      title={isRevoking ? `Revoke the invitation for ${invitation.email}?` : `Send ${invitation.email} a new link?`}
      yes={isRevoking ? "Revoke invitation" : "Create new link"}
      isDangerous={isRevoking}
      run={async () => {
        if (isRevoking) {
          await hub.call("POST /api/v1/invitations/{id}/revoke", { path });
          showToast(`Invitation for ${invitation.email} revoked`);
        } else onLink(await hub.call("POST /api/v1/invitations/{id}/resend", { path }));
        await queryClient.invalidateQueries({ queryKey: ["invitations"] });
      }}
      onClose={onClose}
    >
      <p>The link that was created before stops working.</p>
    </Confirm>
  );
}
