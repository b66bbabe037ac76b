import { PageOf } from "../../server/src/core/schema.ts";
import { ConditionSet } from "../../server/src/features/condition-sets/condition-sets.schemas.ts";
import { getConditionSet, listConditionSets } from "../../server/src/features/condition-sets/condition-sets.store.ts";
import { serveFloor } from "./floor-server.ts";

await serveFloor(({ app, db, orgId }) => {
  app.get<{ Params: { id: string } }>(
    "/condition-sets/:id",
    { schema: { response: { 200: ConditionSet } } },
    (request) => getConditionSet(db, orgId, request.params.id),
  );
  app.get<{ Querystring: { limit: string } }>(
    "/condition-sets",
    { schema: { response: { 200: PageOf(ConditionSet) } } },
    (request) => listConditionSets(db, orgId, { page: 1, limit: Number(request.query.limit) }),
  );
});
