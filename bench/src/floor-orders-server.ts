import { OrderAnswer } from "../../server/src/features/orders/order-answers.schemas.ts";
import { presentOrder } from "../../server/src/features/orders/order.ts";
import { findNamed } from "../../server/src/features/orders/orders.store.ts";
import { serveFloor } from "./floor-server.ts";

await serveFloor(({ app, db, orgId }) => {
  app.get<{ Params: { id: string } }>("/orders/:id", { schema: { response: { 200: OrderAnswer } } }, (request) =>
    findNamed(db, orgId, request.params.id).then(([order]) => order && presentOrder(order)),
  );
});
