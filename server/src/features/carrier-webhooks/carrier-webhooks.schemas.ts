import type { Static } from "typebox";
import { OneOf } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const CarrierWebhookAnswer = Type.Object({
  status: OneOf(["accepted", "duplicate", "ignored"], {
    description: "duplicate: received before. ignored: it reports nothing that the hub uses",
  }),
});
export type CarrierWebhookAnswer = Static<typeof CarrierWebhookAnswer>;
