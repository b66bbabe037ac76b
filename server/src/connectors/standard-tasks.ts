import type { TObject, TSchema } from "typebox";
import { linePattern, Strict } from "../core/schema.ts";
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
  Partial<Pick<PushTask, "find" | "update" | "contentOf">> & { description: string; input?: TObject; output?: TSchema };

type PushRule = Pick<PushTask, "unit" | "resendPolicy" | "opposite">;

const pushes = {
  "fulfillments.push": { title: "Report shipments", unit: "shipment", resendPolicy: "never" },
  "orders.export": { title: "Export orders", unit: "order", resendPolicy: "never", opposite: "orders.recall" },
  "orders.recall": { title: "Recall orders", unit: "order", resendPolicy: "never", opposite: "orders.export" },
  // The shop may have released or held the order since.
  "orders.hold": { title: "Hold in the shop", unit: "order", resendPolicy: "always" },
  "orders.release_hold": { title: "Release hold in the shop", unit: "order", resendPolicy: "always" },
  "orders.tag": { title: "Tag in the shop", unit: "order", resendPolicy: "always" },
  "orders.untag": { title: "Remove tags in the shop", unit: "order", resendPolicy: "always" },
  // The same note or refund is sent once; another one is a change.
  "orders.note": { title: "Add note in the shop", unit: "order", resendPolicy: "on_change" },
  "orders.refund": { title: "Refund in the shop", unit: "order", resendPolicy: "on_change" },
  "orders.cancel": { title: "Cancel in the shop", unit: "order", resendPolicy: "never" },
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

/** The content of tasks that send what the caller wrote, and nothing of the order. */
export function inputContent({ input: { orderIds: _orders, forceResend: _resend, ...content } }: Call): unknown {
  return content;
}

export const TagsInput = Strict(
  {
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 40, pattern: linePattern }), {
      title: "Tags",
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
    }),
  },
  { examples: [{ tags: ["checked"] }] },
);

export const NoteInput = Strict(
  { note: Type.String({ title: "Note", minLength: 1, maxLength: 2_000, pattern: "\\S" }) },
  { examples: [{ note: "Packed by the hub" }] },
);

export const NotifyInput = {
  notifyCustomer: Type.Optional(
    Type.Boolean({
      title: "Notify the customer",
      description: "Whether the shop writes to the customer. Default: false",
    }),
  ),
};

export const RefundInput = Strict(
  {
    amount: Type.Optional(
      Type.Number({
        title: "Amount",
        exclusiveMinimum: 0,
        maximum: 1_000_000_000,
        description: "In the currency that the customer paid in. Default: all that is left",
      }),
    ),
    note: Type.Optional(Type.String({ title: "Note", minLength: 1, maxLength: 200, description: "For the staff" })),
    ...NotifyInput,
  },
  { examples: [{ amount: 5, note: "Damaged box" }] },
);
