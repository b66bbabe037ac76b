import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import type { Role } from "../../core/scopes.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { recordsIn } from "../../db/records.ts";
import type { Invitation, InvitationQuery } from "./invitations.schemas.ts";

/** `now()`: links expire by real time, also where the clock of a preview is set. */
const status = `case when t.accepted_at is not null then 'accepted'
  when t.revoked_at is not null then 'revoked'
  when t.expires_at <= now() then 'expired' else 'open' end`;

const columns = defineColumns<Invitation>("t", {
  email: "text",
  name: "text",
  role: "text",
  status: { type: "text", selected: status },
  createdBy: "jsonb",
  createdAt: moment,
  expiresAt: moment,
  emailedAt: moment,
});
const invitations = recordsIn("invitations", "invitation", columns);
export const { get: getInvitation, lock: lockInvitation } = invitations;

export async function listInvitations(db: Queryable, orgId: string, query: InvitationQuery): Promise<Page<Invitation>> {
  return await invitations.list(db, orgId, query, [[`(${status}) = ?`, query.status]]);
}

type NewInvitation = Omit<Invitation, "status"> & { tokenHash: Buffer };

export async function insertInvitation(tx: Tx, orgId: string, invitation: NewInvitation): Promise<void> {
  const { id, email, name, role, createdBy, createdAt, expiresAt, emailedAt, tokenHash } = invitation;
  await tx.query(
    `insert into invitations (id, org_id, email, name, role, token_hash, created_by, created_at, expires_at, emailed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [id, orgId, email, name, role, tokenHash, createdBy, createdAt, expiresAt, emailedAt],
  );
}

/** An expired invitation must not stand in the way of a new one. */
export async function revokeExpired(tx: Tx, orgId: string, email: string): Promise<void> {
  await tx.query(
    `update invitations set revoked_at = now()
      where org_id = $1 and lower(email) = lower($2) and accepted_at is null and revoked_at is null and expires_at <= now()`,
    [orgId, email],
  );
}

export async function hasUser(db: Queryable, orgId: string, email: string): Promise<boolean> {
  const rows = await db.query("select from users where org_id = $1 and lower(email) = lower($2)", [orgId, email]);
  return rows.length > 0;
}

export async function markRevoked(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("update invitations set revoked_at = now() where org_id = $1 and id = $2", [orgId, id]);
}

type NewLink = { tokenHash: Buffer; expiresAt: Date; emailedAt: Date | null; by: Actor };

/** The link sent before stops working. Its sender becomes the creator, whose role limits that of the invitation. */
export async function replaceLink(tx: Tx, orgId: string, id: string, link: NewLink): Promise<void> {
  await tx.query(
    `update invitations
        set token_hash = $3, expires_at = $4, emailed_at = coalesce($5, emailed_at), created_by = $6
      where org_id = $1 and id = $2`,
    [orgId, id, link.tokenHash, link.expiresAt, link.emailedAt, link.by],
  );
}

export type FoundInvitation = {
  id: string;
  orgId: string;
  organization: string;
  email: string;
  name: string | null;
  role: Role;
  status: Invitation["status"];
  createdBy: Actor;
  expiresAt: Date;
};

/** Spans all organizations: the link is the only thing known about the caller. */
export async function findByTokenAcrossOrgs(
  db: Queryable,
  tokenHash: Buffer,
  lock: "" | "for update of t" = "",
): Promise<FoundInvitation | undefined> {
  const [row] = await db.query<FoundInvitation>(
    `select t.id, t.org_id as "orgId", organization.name as organization, t.email, t.name, t.role, ${status} as status,
            t.created_by as "createdBy", t.expires_at as "expiresAt"
       from invitations t
       join organizations organization on organization.id = t.org_id
      where t.token_hash = $1 ${lock}`,
    [tokenHash],
  );
  return row;
}

export async function markAccepted(tx: Tx, id: string): Promise<void> {
  await tx.query("update invitations set accepted_at = now() where id = $1", [id]);
}

export async function deleteOldAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from invitations where expires_at < $1", [before]);
}
