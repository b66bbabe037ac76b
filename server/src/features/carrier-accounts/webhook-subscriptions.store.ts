import type { CarrierData } from "../../carriers/seam/carrier-data.ts";
import type { Queryable, Tx } from "../../db/database.ts";

/** The webhook of an account as the hub needs it to subscribe and to verify. Counts are read with the account. */
export type StoredWebhook = {
  url: string;
  sealedSecret: string;
  subscribedAt: Date | null;
  attemptedAt: Date | null;
  problem: string | null;
};

export async function findWebhook(db: Queryable, orgId: string, accountId: string): Promise<StoredWebhook | undefined> {
  const [row] = await db.query<StoredWebhook>(
    `select url, sealed_secret as "sealedSecret", subscribed_at as "subscribedAt", attempted_at as "attemptedAt", problem
       from carrier_webhooks where org_id = $1 and account_id = $2`,
    [orgId, accountId],
  );
  return row;
}

/** The organization of an account that takes webhooks. */
export async function findWebhookOrgAcrossOrgs(db: Queryable, accountId: string): Promise<string | undefined> {
  const [row] = await db.query<{ orgId: string }>(
    `select org_id as "orgId" from carrier_webhooks where account_id = $1`,
    [accountId],
  );
  return row?.orgId;
}

/** Sets the URL; the secret of an existing webhook stays. Returns the webhook as stored. */
export async function ensureWebhook(
  tx: Tx,
  orgId: string,
  accountId: string,
  { url, sealedSecret }: Pick<StoredWebhook, "url" | "sealedSecret">,
): Promise<StoredWebhook> {
  const [row] = await tx.query<StoredWebhook>(
    `insert into carrier_webhooks as w (account_id, org_id, url, sealed_secret) values ($2, $1, $3, $4)
     on conflict (account_id) do update set url = excluded.url
     returning url, sealed_secret as "sealedSecret", subscribed_at as "subscribedAt", attempted_at as "attemptedAt", problem`,
    [orgId, accountId, url, sealedSecret],
  );
  return row!;
}

/** What became of an attempt to subscribe. Without a problem the carrier has confirmed it. */
export async function saveAttempt(
  tx: Tx,
  orgId: string,
  accountId: string,
  attempt: { at: Date; problem: string } | { at: Date; sealedSecret: string; carrierData: CarrierData },
): Promise<void> {
  if ("problem" in attempt) {
    await tx.query(
      "update carrier_webhooks set attempted_at = $3, problem = $4 where org_id = $1 and account_id = $2",
      [orgId, accountId, attempt.at, attempt.problem],
    );
    return;
  }
  await tx.query(
    `update carrier_webhooks
        set attempted_at = $3, subscribed_at = $3, problem = null, sealed_secret = $4, carrier_data = $5
      where org_id = $1 and account_id = $2`,
    [orgId, accountId, attempt.at, attempt.sealedSecret, JSON.stringify(attempt.carrierData)],
  );
}

/** The next tracking poll subscribes again, with other credentials or at another address. */
export async function expireSubscription(tx: Tx, orgId: string, accountId: string): Promise<void> {
  await tx.query("update carrier_webhooks set attempted_at = null where org_id = $1 and account_id = $2", [
    orgId,
    accountId,
  ]);
}

/** Call it last in the transaction: all webhooks of an account write this row. */
export async function countAccepted(
  tx: Tx,
  orgId: string,
  accountId: string,
  { at, unmatched }: { at: Date; unmatched: number },
): Promise<void> {
  await tx.query(
    `update carrier_webhooks
        set accepted_count = accepted_count + 1,
            unmatched_count = unmatched_count + $4,
            last_received_at = greatest(last_received_at, $3)
      where org_id = $1 and account_id = $2`,
    [orgId, accountId, at, unmatched],
  );
}

export type Refusals = { accountId: string; count: number; at: Date; message: string };

export async function addRefusalsAcrossOrgs(db: Queryable, refusals: Refusals[]): Promise<void> {
  await db.query(
    `update carrier_webhooks w
        set refused_count = w.refused_count + refused.count, last_refused_at = refused.at, last_refusal = refused.message
       from unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::text[]) as refused (account_id, count, at, message)
      where w.account_id = refused.account_id`,
    [
      refusals.map(({ accountId }) => accountId),
      refusals.map(({ count }) => count),
      refusals.map(({ at }) => at),
      refusals.map(({ message }) => message),
    ],
  );
}
