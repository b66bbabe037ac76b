import type { TObject, TSchema } from "typebox";
import { Type } from "../core/type.ts";
import type { Call, CallTask, PullTask, PushTask } from "./connector.ts";

const minuteMs = 60_000;

/** Tasks that several connectors offer under the same name. */
export function connectionTest(run: (call: Call) => Promise<Record<string, unknown>>): CallTask {
  return {
    name: "connection.test",
    title: "Test the connection",
    description: "Authenticates and makes a small read request. Changes nothing.",
    mode: "call",
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({}, { description: "Information from the external system" }),
    idempotent: true,
    timeoutMs: minuteMs,
    run: async (call) => ({ ok: true, ...(await run(call)) }),
  };
}

type PullParts = Pick<PullTask, "pull" | "isIncremental" | "canonicalOf" | "receive"> & {
  input: TObject;
  description: string;
};

const pulls = {
  "orders.import": ["Import orders", "orders"],
  "locations.pull": ["Import locations", "locations"],
  "tracking.pull": ["Import tracking", "tracking"],
  "inventory.pull": ["Import inventory", "inventory"],
} as const;

export function pullTask(name: keyof typeof pulls, parts: PullParts): PullTask {
  const [title, recordType] = pulls[name];
  return {
    name,
    title,
    mode: "pull",
    recordType,
    output: Type.Object({}),
    idempotent: true,
    timeoutMs: 60 * minuteMs,
    ...parts,
  };
}

type PushParts = Pick<PushTask, "send" | "idempotent"> &
  Partial<Pick<PushTask, "find" | "update">> & { description: string; input?: TObject; output?: TSchema };

type PushRule = Pick<PushTask, "unit" | "resendPolicy" | "opposite">;

const pushes = {
  "fulfillments.push": { title: "Report shipments", unit: "shipment", resendPolicy: "never" },
  "orders.export": { title: "Export orders", unit: "order", resendPolicy: "never", opposite: "orders.recall" },
  "orders.recall": { title: "Recall orders", unit: "order", resendPolicy: "never", opposite: "orders.export" },
  // The shop may have released or held the order since.
  "orders.hold": { title: "Hold in the shop", unit: "order", resendPolicy: "always" },
  "orders.release_hold": { title: "Release hold in the shop", unit: "order", resendPolicy: "always" },
} as const satisfies Record<string, PushRule & { title: string }>;

/** The unit and resend policy of a task name. Other names may mean anything: they resend changed content. */
export function pushRule(name: string): PushRule {
  const { unit, resendPolicy, opposite }: PushRule =
    (pushes as Record<string, PushRule>)[name] ?? ({ unit: "order", resendPolicy: "on_change" } as const);
  return { unit, resendPolicy, ...(opposite === undefined ? {} : { opposite }) };
}

export function pushTask(name: keyof typeof pushes, parts: PushParts): PushTask {
  return {
    name,
    title: pushes[name].title,
    mode: "push",
    ...pushRule(name),
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({}, { description: "The response per order" }),
    timeoutMs: 60 * minuteMs,
    ...parts,
  };
}
