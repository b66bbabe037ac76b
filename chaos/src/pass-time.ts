import type { Client } from "pg";

/** As if so much time had passed that no dead process is believed to be alive: short tests need not wait for it. */
export async function passTime(db: Client): Promise<void> {
  await db.query(
    "update operation_runs set lease_until = now() - interval '1 second' where finished_at is null and lease_until > now()",
  );
  await db.query("update idempotency_keys set claimed_until = now() - interval '1 second' where status is null");
}
