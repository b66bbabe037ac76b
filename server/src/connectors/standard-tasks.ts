import type { TObject, TSchema } from "typebox";
import { Type } from "../core/type.ts";
import type { Call, CallTask, PullTask, PushTask } from "./connector.ts";

const minuteMs = 60_000;

/** The tasks that several connectors offer, under one name and with one meaning. */
export function connectionTest(run: (call: Call) => Promise<Record<string, unknown>>): CallTask {
  return {
    name: "connection.test",
    title: "Test the connection",
    description: "Signs in at the other side and reads something small. Changes nothing.",
    mode: "call",
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({}, { description: "What the other side says about itself" }),
    idempotent: true,
    timeoutMs: minuteMs,
    run: async (call) => ({ ok: true, ...(await run(call)) }),
  };
}

type PullParts = Pick<PullTask, "pull" | "isIncremental"> & { input: TObject; description: string };

const pulls = {
  "orders.import": ["Import orders", "orders"],
  "locations.pull": ["Read locations", "locations"],
  "tracking.pull": ["Read tracking", "tracking"],
  "inventory.pull": ["Read stock", "inventory"],
} as const;

export function pullTask(name: keyof typeof pulls, parts: PullParts): PullTask {
  const [title, yields] = pulls[name];
  return {
    name,
    title,
    mode: "pull",
    yields,
    output: Type.Object({}),
    idempotent: true,
    timeoutMs: 60 * minuteMs,
    ...parts,
  };
}

type PushParts = Pick<PushTask, "send" | "idempotent"> &
  Partial<Pick<PushTask, "find">> & { description: string; input?: TObject; output?: TSchema };

const pushes = {
  "fulfillments.push": "Report shipments",
  "orders.export": "Export orders",
  "orders.recall": "Ask orders back",
  "orders.hold": "Hold at the shop",
  "orders.release_hold": "Release at the shop",
} as const;

export function pushTask(name: keyof typeof pushes, parts: PushParts): PushTask {
  return {
    name,
    title: pushes[name],
    mode: "push",
    takes: "orders",
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({}, { description: "What the other side answered, per order" }),
    timeoutMs: 60 * minuteMs,
    ...parts,
  };
}
