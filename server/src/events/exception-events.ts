import type { TProperties } from "typebox";
import { Id, Nullable } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { defineEvent } from "./define-event.ts";

const Text = Type.String();
const exception = { kind: Text, code: Text, orderId: Nullable(Id), bridgeId: Nullable(Id), executionId: Nullable(Id) };
const opened = {
  ...exception,
  timesSeen: Type.Integer({ minimum: 1, description: "More than 1: it was met before, and is open again" }),
};
const resolved = {
  ...exception,
  status: Type.String({ description: "resolved or dismissed" }),
  resolution: Type.String({ description: "The fix that somebody chose, or cause_gone" }),
};

function several<Properties extends TProperties>(properties: Properties) {
  return {
    count: Type.Integer({ minimum: 1, description: "Number of `items`" }),
    items: Type.Array(Type.Object({ id: Id, ...properties }), { description: "At most 200" }),
    sampleIds: Type.Array(Id, { description: "Ids of the first 100 items" }),
  };
}

/** A part of the catalogue: what went wrong and somebody has to see. */
export const exceptionEvents = {
  "exception.opened": defineEvent("exception", "Something went wrong that somebody has to see", opened),
  "exception.resolved": defineEvent("exception", "What was wrong is over, or was dismissed", resolved),
  "exceptions.opened": defineEvent("exception_batch", "Several things went wrong at once", several(opened)),
  "exceptions.resolved": defineEvent("exception_batch", "Several are over at once", several(resolved)),
};
