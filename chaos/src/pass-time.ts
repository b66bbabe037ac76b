import type { Client } from "pg";

/** Expires the leases and heartbeats of dead processes, so that short tests need not wait. */
export async function passTime(db: Client): Promise<void> {
  await db.query(
    "update operation_runs set lease_until = now() - interval '1 second' where finished_at is null and lease_until > now()",
  );
  await db.query("update idempotency_keys set claimed_until = now() - interval '1 second' where status is null");
}
