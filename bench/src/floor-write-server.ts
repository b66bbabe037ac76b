import type { Recorder } from "../../server/src/events/record-event.ts";
import { recordEvent } from "../../server/src/events/record-event.ts";
import { ConditionSet } from "../../server/src/features/condition-sets/condition-sets.schemas.ts";
import { insertConditionSet } from "../../server/src/features/condition-sets/condition-sets.store.ts";
import { newId } from "../../server/src/core/ids.ts";
import { serveFloor } from "./floor-server.ts";

await serveFloor(({ app, transaction, orgId }) => {
  const recorder: Recorder = {
    orgId,
    actor: { type: "system", name: "bench" },
    requestId: "bench",
    clock: { now: () => new Date() },
    sealer: { nudge() {}, sealNow: async () => {}, stop: async () => {} },
    newId,
  };
  app.post<{ Body: { name: string } }>(
    "/condition-sets",
    { schema: { response: { 201: ConditionSet } } },
    async (request, reply) => {
      const { name } = request.body;
      const set = { name, description: "", matching: "case_insensitive", at: new Date() } as const;
      const created = await transaction(async (tx) => {
        const inserted = await insertConditionSet(tx, orgId, { id: newId(), ...set });
        const data = { name, description: "", matching: set.matching, version: inserted.version };
        await recordEvent(tx, recorder, { type: "condition_set.created", objectId: inserted.id, data });
        return inserted;
      });
      return reply.code(201).send(created);
    },
  );
});
