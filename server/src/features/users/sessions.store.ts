import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { SessionQuery, SessionRecord } from "./sessions.schemas.ts";

export type EndReason = "signed_out" | "revoked" | "password_changed" | "disabled" | "token_reused";

const { selected, fromRow } = defineColumns<SessionRecord>("t", {
  userId: "uuid",
  address: "text",
  userAgent: "text",
  createdAt: moment,
  lastUsedAt: moment,
  expiresAt: moment,
  isBrowser: { type: "boolean", selected: "t.cookie_hash is not null" },
});

/** Active sessions only. */
export async function listSessions(
  db: Queryable,
  orgId: string,
  userId: string,
  { page, limit, now, usedAfter }: Pick<SessionQuery, "page" | "limit"> & { now: Date; usedAfter: Date },
): Promise<Page<SessionRecord>> {
  const found = await listPage<Stored<SessionRecord>>(
    db,
    { page, limit },
    {
      select: selected,
      from: "user_sessions t",
      where: [
        ["t.org_id = ?", orgId],
        ["t.user_id = ?", userId],
        "t.ended_at is null",
        ["t.expires_at > ?", now],
        ["(t.cookie_hash is null or t.last_used_at > ?)", usedAfter],
      ],
      orderBy: "t.created_at desc, t.id desc",
    },
  );
  return mapPage(found, fromRow);
}

export type NewSession = {
  id: string;
  orgId: string;
  userId: string;
  address: string;
  network: string;
  userAgent: string;
  at: Date;
  expiresAt: Date;
  /** Set for browser sessions. */
  cookieHash?: Buffer | undefined;
  /** Set for sign-ins through the identity provider, with its `auth_time` if it sent one. */
  identityProvider?: { authenticatedAt: Date | undefined } | undefined;
};

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  const { id, orgId, userId, address, network, userAgent, at, expiresAt, cookieHash, identityProvider } = session;
  const authenticatedAt = identityProvider ? (identityProvider.authenticatedAt ?? null) : at;
  await tx.query(
    `insert into user_sessions (id, org_id, user_id, address, network, user_agent, created_at, last_used_at, authenticated_at,
       expires_at, cookie_hash, is_by_issuer)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11)`,
    [
      id,
      orgId,
      userId,
      address,
      network,
      userAgent,
      at,
      authenticatedAt,
      expiresAt,
      cookieHash ?? null,
      identityProvider !== undefined,
    ],
  );
}

/** Whether the user signed in from this network before, in a session that was not revoked since. */
export async function hasSignedInFrom(db: Queryable, userId: string, network: string): Promise<boolean> {
  const rows = await db.query(
    `select
       from user_sessions
      where user_id = $1 and network = $2 and (ended_at is null or end_reason = 'signed_out')
      limit 1`,
    [userId, network],
  );
  return rows.length === 1;
}

export type LiveSession = { id: string; userId: string; authenticatedAt: Date | null };

/** Spans all organizations: the access token names the session, and the session the organization. */
export async function findLiveSessionAcrossOrgs(db: Queryable, id: string): Promise<LiveSession | undefined> {
  const [row] = await db.query<LiveSession>(
    `select id, user_id as "userId", authenticated_at as "authenticatedAt"
       from user_sessions
      where id = $1 and ended_at is null`,
    [id],
  );
  return row;
}

export type BrowserSession = LiveSession & { isFromIdentityProvider: boolean; lastUsedAt: Date; expiresAt: Date };

/** Spans all organizations: the cookie is the only thing known about the caller. */
export async function findBrowserSessionAcrossOrgs(
  db: Queryable,
  cookieHash: Buffer,
): Promise<BrowserSession | undefined> {
  const [row] = await db.query<BrowserSession>(
    `select id, user_id as "userId", authenticated_at as "authenticatedAt", is_by_issuer as "isFromIdentityProvider",
            last_used_at as "lastUsedAt", expires_at as "expiresAt"
       from user_sessions
      where cookie_hash = $1 and ended_at is null`,
    [cookieHash],
  );
  return row;
}

export async function markReauthenticated(tx: Tx, orgId: string, id: string, at: Date): Promise<void> {
  await tx.query("update user_sessions set authenticated_at = $3 where org_id = $1 and id = $2", [orgId, id, at]);
}

/** Returns the user whose session ended; undefined if it had ended before, so that concurrent calls record one event. */
export async function endSession(
  tx: Tx,
  orgId: string,
  id: string,
  { at, reason, ofUser }: { at: Date; reason: EndReason; ofUser?: string },
): Promise<string | undefined> {
  const [row] = await tx.query<{ user_id: string }>(
    `update user_sessions
        set ended_at = $3, end_reason = $4
      where org_id = $1 and id = $2 and ended_at is null and expires_at > $3 and ($5::uuid is null or user_id = $5)
      returning user_id`,
    [orgId, id, at, reason, ofUser ?? null],
  );
  return row?.user_id;
}

/** Ends all sessions of a user, except one if given, and returns their number. */
export async function endSessionsOf(
  tx: Tx,
  userId: string,
  { at, reason, except }: { at: Date; reason: EndReason; except?: string | undefined },
): Promise<number> {
  const rows = await tx.query(
    `update user_sessions set ended_at = $2, end_reason = $3
      where user_id = $1 and ended_at is null and expires_at > $2 and id is distinct from $4 returning 1`,
    [userId, at, reason, except ?? null],
  );
  return rows.length;
}

/**
 * Locks the user of a refresh token, as `endSessionsOf` callers do. Without the lock, a token issued at the same moment
 * would be missed by both transactions and outlive the sessions.
 */
export async function lockTokenUser(tx: Tx, hash: Buffer): Promise<void> {
  await tx.query(
    `select 1 from users where id = (select user_id from refresh_tokens where token_hash = $1) for no key update`,
    [hash],
  );
}

/** Taken first by transactions that end a user's sessions or change the user's records. False if there is no such user. */
export async function lockUserRow(tx: Tx, orgId: string, userId: string): Promise<boolean> {
  const rows = await tx.query("select from users where org_id = $1 and id = $2 for no key update", [orgId, userId]);
  return rows.length === 1;
}

export type RefreshTokenRow = {
  family_id: string;
  user_id: string;
  expires_at: Date;
  used_at: Date | null;
  ended_at: Date | null;
};

/** The row lock serializes concurrent uses of one token, so that the second sees the first. */
export async function lockRefreshToken(tx: Tx, hash: Buffer): Promise<RefreshTokenRow | undefined> {
  const [row] = await tx.query<RefreshTokenRow>(
    `select token.family_id, token.user_id, token.expires_at, token.used_at, session.ended_at
       from refresh_tokens token
       join user_sessions session on session.id = token.family_id
      where token.token_hash = $1
        for update`,
    [hash],
  );
  return row;
}

export async function markUsed(tx: Tx, hash: Buffer, at: Date): Promise<void> {
  await tx.query("update refresh_tokens set used_at = $2 where token_hash = $1", [hash, at]);
}

export type NewRefreshToken = { hash: Buffer; familyId: string; userId: string; at: Date; expiresAt: Date };

export async function insertRefreshToken(tx: Tx, token: NewRefreshToken): Promise<void> {
  await tx.query(
    `insert into refresh_tokens (token_hash, family_id, user_id, created_at, expires_at) values ($1, $2, $3, $4, $5)`,
    [token.hash, token.familyId, token.userId, token.at, token.expiresAt],
  );
  await tx.query("update user_sessions set expires_at = $2, last_used_at = greatest(last_used_at, $3) where id = $1", [
    token.familyId,
    token.expiresAt,
    token.at,
  ]);
}

export async function markSessionsUsedAcrossOrgs(db: Queryable, ids: string[], times: Date[]): Promise<void> {
  await db.query(
    `update user_sessions session
        set last_used_at = greatest(session.last_used_at, used.at)
       from unnest($1::uuid[], $2::timestamptz[]) as used (id, at)
      where session.id = used.id`,
    [ids, times],
  );
}

export async function deleteExpiredAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from refresh_tokens where expires_at < $1", [before]);
  await db.query("delete from user_sessions where expires_at < $1", [before]);
}
