import type { TProperties } from "typebox";
import { Id, Nullable } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { defineEvent } from "./define-event.ts";

const Text = Type.String();
const exception = { kind: Text, code: Text, orderId: Nullable(Id), bridgeId: Nullable(Id), executionId: Nullable(Id) };
const opened = {
  ...exception,
  timesSeen: Type.Integer({ minimum: 1, description: "Greater than 1 when an earlier exception is reopened" }),
};
const resolved = {
  ...exception,
  status: Type.String({ description: "resolved or dismissed" }),
  resolution: Type.String({ description: "The action a user took, or auto_resolved" }),
};

function several<Properties extends TProperties>(properties: Properties) {
  return {
    count: Type.Integer({ minimum: 1, description: "Number of `items`" }),
    items: Type.Array(Type.Object({ id: Id, ...properties }), { description: "At most 200" }),
    sampleIds: Type.Array(Id, { description: "Ids of the first 100 items" }),
  };
}

export const exceptionEvents = {
  "exception.opened": defineEvent("exception", "An exception was opened", opened),
  "exception.resolved": defineEvent("exception", "An exception was resolved or dismissed", resolved),
  "exception.assigned": defineEvent("exception", "An exception was assigned to a user, or to none", {
    assigneeId: Nullable(Id),
  }),
  "exception.commented": defineEvent("exception", "A user commented on an exception", {
    commentId: Id,
    mentions: Type.Array(Id, { description: "Users who are notified" }),
  }),
  "exceptions.opened": defineEvent("exception_batch", "Several exceptions were opened", several(opened)),
  "exceptions.resolved": defineEvent(
    "exception_batch",
    "Several exceptions were resolved or dismissed",
    several(resolved),
  ),
};
