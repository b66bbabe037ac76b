import { expect, test } from "vitest";
import { typesOf } from "../../../events/event-families.ts";
import { openOldDatabase } from "../../../testing/old-database.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { deliveryLeases } from "./deliveries.store.ts";
import { planDeliveries } from "./plan-deliveries.ts";

test("pending deliveries of a former version are sent: those with rows, and those in the log", async () => {
  const hub = await startTestHub();
  const { old, ctx, upgradeTo } = await openOldDatabase(hub.world, 50);
  const { orgId, newId } = ctx;
  const [none, strict] = [newId(), newId()];
  for (const [id, ordering] of [
    [none, "none"],
    [strict, "strict"],
  ]) {
    await old.query(
      `insert into webhooks (id, org_id, url, description, types, ordering, max_in_flight, signing, header_names, sealed_secret,
         status, cursor, places, last_error, created_at, updated_at, due_at, lease_owner, lease_until)
       values ($1, $2, 'https://a.example', '', '{order.created}', $3, 8, 'hmac', '{}', '', 'active', 3, 8,
         '{"code": "not_taken", "message": "no"}', now(), now(), now() - interval '10 years', gen_random_uuid(), now())`,
      [id, orgId, ordering],
    );
    // The first was delivered, the second failed and waits, the third waits with strict ordering.
    await old.query(
      `insert into webhook_deliveries (org_id, webhook_id, event_id, sequence, type, status, tries, attempt_count, created_at,
         ended_at, due_at, last_error)
       select $1, $2, gen_random_uuid(), n, 'order.created', case when n = 1 then 'delivered' else 'waiting' end, 1, 1, now(),
         case when n = 1 then now() end,
         case when n > 1 then case when $3 then timestamptz 'epoch' + n * interval '1 microsecond' else now() - interval '1 s' end end,
         '{"code": "not_taken", "message": "no"}'
         from generate_series(1, 3) n`,
      [orgId, id, ordering === "strict"],
    );
  }
  await old.query(
    `insert into events (org_id, sequence, id, type, object_type, object_id, actor, request_id, data, occurred_at, previous_hash, hash)
     select $1, n, gen_random_uuid(), $2, 'order', gen_random_uuid(), '{"type": "system", "name": "test"}', 'test', '{}', now(),
       sha256('a'), sha256('a') from generate_series(1, 4) n`,
    [orgId, typesOf(["order.created"])[0]],
  );
  await old.query(
    `insert into audit_heads (org_id, sequence, hash) values ($1, 4, sha256('a'))
     on conflict (org_id) do update set sequence = 4`,
    [orgId],
  );

  await upgradeTo(Infinity);

  const world = { ...hub.world, db: ctx.db };
  await planDeliveries(world, new AbortController().signal, () => undefined);
  const quotas = { byOrg: new Map<string, number>(), others: 100 };
  const claim = { owner: newId(), limit: 100, quotas, mayTakeOver: true, now: new Date() };
  const { rows } = await deliveryLeases.claimAcrossOrgs(ctx.db, claim);
  const sequencesOf = (id: string) => rows.filter(({ webhookId }) => webhookId === id).map(({ sequence }) => sequence);
  expect(sequencesOf(none).toSorted()).toEqual([2, 3, 4]);
  expect(sequencesOf(strict)).toEqual([2]);
  const codes = await ctx.db.query(
    `select last_error ->> 'code' as code from webhooks union select last_error ->> 'code' from webhook_deliveries`,
  );
  expect(codes).toEqual(expect.arrayContaining([{ code: "unexpected_status" }]));
  expect(codes).not.toContainEqual({ code: "not_taken" });
});
