import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import {
  Count,
  DateTime,
  Id,
  linePattern,
  Nullable,
  OneOf,
  optional,
  pageQuery,
  Strict,
  Version,
} from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { Dimensions, Weight } from "../../core/weight.ts";
import { lineDetails } from "../orders/order-details.schemas.ts";
import { OrderRef, shippingParts } from "../orders/orders.schemas.ts";
import { holdReasons } from "../orders/orders.states.ts";

const sessionStatuses = ["open", "packed", "stopped"] as const;

const Station = Type.String({ minLength: 1, maxLength: 60, pattern: linePattern });
const Text = Type.String();

export const ScanRequest = Strict(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: "\\S",
      description: "SKU or variant ID of an item; number, ID or tracking number of an order",
    }),
    sessionId: Type.Optional({
      ...Id,
      description: "The session whose items are scanned. Without it, the code is that of an order",
    }),
    station: Type.Optional({
      ...Station,
      description: "Name of the packing station. Two stations of one user are two packers",
    }),
    takeOver: Type.Optional(
      Type.Boolean({ description: "Continue the session of another packer. Without it, the order is refused" }),
    ),
  },
  { examples: [{ code: "ORD-1001", station: "Station 3" }] },
);
export type ScanRequest = Static<typeof ScanRequest>;

export const CountRequest = Strict(
  {
    lineId: Type.String({ minLength: 1, maxLength: 64, description: "The ID of a line of the order" }),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default: 1" })),
  },
  { examples: [{ lineId: "1", quantity: 1 }] },
);
export type CountRequest = Static<typeof CountRequest>;

const Box = Strict({
  name: shippingParts.packageType,
  ...optional({ dimensions: Dimensions, weight: { ...Weight, description: "Of the empty box" } }),
});
export type Box = Static<typeof Box>;

export const SessionPatch = Strict(
  optional({
    box: Nullable(Box),
    weight: Nullable({ ...Weight, description: "Of the packed box. Null: `expectedWeight`" }),
  }),
  { examples: [{ weight: { value: 2.35, unit: "lb" } }] },
);
export type SessionPatch = Static<typeof SessionPatch>;

export const ConfirmRequest = Strict(
  optional({
    buyLabel: Type.Boolean({
      description:
        "Buy the label in a run: at the carrier account and service of the order, else at the cheapest rate. Requires `shipments:write`",
    }),
  }),
  { examples: [{ buyLabel: false }] },
);
export type ConfirmRequest = Static<typeof ConfirmRequest>;

export const CancelRequest = Strict(
  optional({
    hold: Strict({
      reason: OneOf(holdReasons),
      note: Type.Optional(Type.String({ maxLength: 500 })),
    }),
  }),
  { examples: [{ hold: { reason: "inventory_out_of_stock", note: "1 of MUG-01 is missing" } }] },
);
export type CancelRequest = Static<typeof CancelRequest>;

const Item = Type.Object({
  lineId: Text,
  sku: Text,
  needed: { ...Count, description: "Units to pack: not shipped and not refunded yet" },
  packed: Count,
  ...optional({
    name: Text,
    weight: Weight,
    imageUrl: lineDetails.imageUrl,
    options: lineDetails.options,
    properties: lineDetails.properties,
  }),
});

export const PackingSession = Type.Object({
  id: Id,
  orderId: Id,
  orderNumber: Text,
  status: OneOf(sessionStatuses, { description: "`stopped`: ended without being packed" }),
  station: Nullable(Text),
  packer: ActorShape,
  items: Type.Array(Item, { description: "Of an ended session: what was packed" }),
  neededCount: Count,
  packedCount: Count,
  isComplete: Type.Boolean({ description: "Every item has as many units as needed, and no more" }),
  box: Nullable(Type.Object({ name: Text, ...optional({ dimensions: Dimensions, weight: Weight }) })),
  weight: Nullable(Weight),
  expectedWeight: Nullable({
    ...Weight,
    description: "Of the items and the box; null if the weight of an item is unknown",
  }),
  labelRunId: Nullable({ ...Id, description: "The run that buys the label; see GET /operations/runs/{id}" }),
  createdAt: DateTime,
  endedAt: Nullable(DateTime),
  updatedAt: DateTime,
  version: Version,
});
export type PackingSession = Static<typeof PackingSession>;

export const ScanAnswer = Type.Object({
  outcome: OneOf(["opened", "resumed", "counted"]),
  lineId: Nullable(Type.String({ description: "The line that was counted" })),
  session: PackingSession,
});
export type ScanAnswer = Static<typeof ScanAnswer>;

export const SessionQuery = pageQuery({
  status: Type.Optional(OneOf(sessionStatuses)),
  orderId: Type.Optional(OrderRef),
});
export type SessionQuery = Static<typeof SessionQuery>;

export const PackingStats = Type.Object({
  packedToday: { ...Count, description: "Orders packed since midnight in the organization's time zone" },
  averageSeconds: Nullable({
    ...Count,
    description: "From the first scan of an order to its last; null: nothing packed today",
  }),
});
export type PackingStats = Static<typeof PackingStats>;
