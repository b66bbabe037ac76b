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
    sealer: { nudge() {} },
    newId,
  };
  app.post<{ Body: { name: string } }>(
    "/condition-sets",
    { schema: { response: { 201: ConditionSet } } },
    async (request, reply) => {
      const { name } = request.body;
      const at = new Date().toISOString();
      const told = { name, description: "", matching: "case_insensitive", version: 1 } as const;
      const set = { id: newId(), ...told, valueCount: 0, usedBy: [], createdAt: at, updatedAt: at };
      await transaction(async (tx) => {
        await insertConditionSet(tx, orgId, set);
        recordEvent(tx, recorder, { type: "condition_set.created", objectId: set.id, data: told });
      });
      return reply.code(201).send(set);
    },
  );
});
