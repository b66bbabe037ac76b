import { definePlugin } from "@order-operations-hub/plugin";
import { loyaltyTier } from "./loyalty-tier.ts";
import { wrapAsGift } from "./wrap-as-gift.ts";

export const plugin = definePlugin({
  api: "1.0",
  namespace: "gifts",
  actions: [wrapAsGift],
  transforms: [loyaltyTier],
});
