import { numberTransform, Strict, Type } from "@order-operations-hub/plugin";

/** In a mapping: `{"gifts.loyalty_tier": {"silverFrom": 100, "goldFrom": 500}}`. */
export const loyaltyTier = numberTransform({
  name: "gifts.loyalty_tier",
  text: "The loyalty tier of a customer by the amount spent: bronze, silver or gold",
  params: Strict({
    silverFrom: Type.Number({ title: "Silver from", minimum: 0 }),
    goldFrom: Type.Number({ title: "Gold from", minimum: 0 }),
  }),
  example: { params: { silverFrom: 100, goldFrom: 500 }, from: 120, to: "silver" },
  compile: ({ silverFrom, goldFrom }) => {
    return (spent) => (spent >= goldFrom ? "gold" : spent >= silverFrom ? "silver" : "bronze");
  },
});
