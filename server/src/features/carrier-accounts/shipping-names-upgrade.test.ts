import { expect, test } from "vitest";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { checkCard } from "../../carriers/rate-card/check-card.ts";
import { openOldDatabase } from "../../testing/old-database.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { getLabel } from "../labels/labels.ts";
import { getCarrierAccount } from "./carrier-accounts.ts";
import { getRateCard } from "./rate-cards.ts";

test("accounts, rate cards, labels and webhooks stored before the rename are read under the new names", async () => {
  const hub = await startTestHub();
  const { old, ctx, upgradeTo } = await openOldDatabase(hub.world, 53);
  const [accountId, cardId, labelId, webhookId] = [1, 2, 3, 4].map(() => hub.world.newId()) as [
    string,
    string,
    string,
    string,
  ];
  await old.query(
    `insert into carrier_accounts (id, org_id, name, carrier, description, settings, credential_fields, pickup_rules,
       service_aliases, is_active, created_at, updated_at)
     values ($1, $2, 'Contract', 'rate-card', '', '{}', '{}', $3, '{}', true, now(), now())`,
    [accountId, ctx.orgId, { sameDay: false, needsWindow: true, earliestReady: "09:00", latestClose: "18:00" }],
  );
  const card = {
    name: "Contract",
    effectiveFrom: "2020-01-01",
    zoneScheme: "flat",
    services: [
      {
        code: "G",
        level: "ground",
        weightBreaks: [{ upTo: null }],
        rates: { all: [7] },
        discounts: [{ percent: 10 }, { percent: 2, stack: "add" }],
        minimum: { zone: "all", weight: { value: 1, unit: "lb" }, less: 1.5 },
      },
    ],
    surcharges: [
      { code: "LONG", kind: "fixed", amount: 4, isFuelable: true, when: { longestOver: 48, secondOver: 30 } },
    ],
    fuel: { percent: 18, base: "base_net" },
  };
  await old.query(
    `insert into rate_cards (id, org_id, account_id, number, name, currency, effective_from, is_active, card, service_count,
       created_by, created_at, updated_at)
     values ($1, $2, $3, 1, 'Contract', 'USD', '2020-01-01', true, $4, 1, '{"type":"system","name":"old"}', now(), now())`,
    [cardId, ctx.orgId, accountId, card],
  );
  const address = { address1: "1 Main St", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };
  await old.query(
    `insert into shipment_labels (id, org_id, carrier, status, service, from_address, to_address, weight, lines, attempts,
       bought_at, failure, created_at, updated_at)
     values ($1, $2, 'demo', 'bought', 'G', $3, $3, '{"value":1,"unit":"lb"}', '[]', 1, '2026-01-05T10:00:00Z',
       '{"code":"label_refused","message":"No."}', now(), now())`,
    [labelId, ctx.orgId, address],
  );
  await old.query(
    `insert into webhooks (id, org_id, url, description, types, ordering, max_in_flight, signing, header_names,
       sealed_secret, status, cursor, concurrency, created_at, updated_at)
     values ($1, $2, 'https://example.test', '', '{order.*,label.bought,pickup.former_forgotten}', 'none', 1, 'hmac', '{}',
       '', 'active', 0, 1, now(), now())`,
    [webhookId, ctx.orgId],
  );

  await upgradeTo(Infinity);

  const rules = { allowsSameDay: false, requiresWindow: true, earliestReadyTime: "09:00", latestCloseTime: "18:00" };
  expect((await getCarrierAccount(ctx, accountId)).pickupRules).toMatchObject(rules);
  const upgraded: RateCard = (await getRateCard(ctx, accountId, cardId)).card;
  expect(checkCard(upgraded, "")).toEqual([]);
  expect(upgraded).toMatchObject({
    services: [
      {
        rates: { all: [7] },
        discounts: [{ percent: 10 }, { percent: 2, stacking: "add" }],
        minimum: { reduction: 1.5 },
      },
    ],
    surcharges: [{ isFuelApplied: true, when: { longestSideOver: 48, secondLongestSideOver: 30 } }],
    fuel: { percent: 18, appliesTo: "base_net" },
  });
  expect(await getLabel(ctx, labelId)).toMatchObject({
    status: "purchased",
    purchasedAt: "2026-01-05T10:00:00.000Z",
    failure: { code: "label_rejected" },
  });
  expect(await old.query("select types from webhooks where id = $1", [webhookId])).toEqual([
    { types: ["order.*", "label.purchased", "pickup.previous_not_cancelled"] },
  ]);
});
