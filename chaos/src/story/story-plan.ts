import { seededRandom } from "../../../server/src/core/seeded-random.ts";
import type { ShopLine } from "../../../server/src/testing/stand-in-data.ts";
import { unlisted } from "../../../server/src/testing/stand-in-warehouse.ts";
import type { StoryName } from "./story-ends.ts";
import { storyNames } from "./story-ends.ts";

/** Two Shopify shops, which both number their orders from #1001, and a WooCommerce shop. */
export const shopNames = ["north", "south", "woo"] as const;
export type ShopName = (typeof shopNames)[number];
export const partnerNames = [...shopNames, "warehouse"] as const;
export type PartnerName = (typeof partnerNames)[number];
export const tokenOf = (name: PartnerName): string => `token-of-${name}`;
export const prefixes: Record<ShopName, string> = { north: "N-", south: "S-", woo: "" };

/** An order and its story. */
export type Story = {
  index: number;
  name: StoryName;
  shop: ShopName;
  /** Order number at the shop. */
  number: string;
  /** Order number in the hub. */
  reference: string;
  street: string;
  secondStreet: string;
  lines: Omit<ShopLine, "id">[];
  /** Number of Shopify locations that fulfill it. */
  locations: number;
  seed: string;
};

const everywhere = shopNames;
const shopify: readonly ShopName[] = ["north", "south"];
const woo: readonly ShopName[] = ["woo"];

/** Shops that support the story: Shopify cannot cancel a partly fulfilled order, WooCommerce has no holds. */
const where: Record<StoryName, readonly ShopName[]> = {
  plain: everywhere,
  delivered: everywhere,
  pays_late: everywhere,
  never_pays: everywhere,
  fails_then_pays: woo,
  cancelled_unpaid: everywhere,
  deleted_unpaid: shopify,
  collected: everywhere,
  cancelled_after_sending: everywhere,
  cancelled_when_packed: everywhere,
  moves_before_paying: everywhere,
  moves_after_sending: everywhere,
  moves_and_is_overruled: everywhere,
  moves_and_moves_back: everywhere,
  wants_more_after_sending: everywhere,
  refunded_after_sending: shopify,
  held: shopify,
  held_and_released: shopify,
  ships_partly: everywhere,
  ships_in_two_parcels: everywhere,
  cancelled_partly_shipped: woo,
  cancelled_after_shipping: woo,
  tracking_corrected: everywhere,
  refused_by_warehouse: everywhere,
  refused_then_listed: everywhere,
  number_taken: woo,
};

/** First number of each shop. Its order always exists, and is the one whose number is taken again. */
const firstNumber = 1001;
export const firstReference = (shop: ShopName): string => `${prefixes[shop]}${shop === "woo" ? "" : "#"}${firstNumber}`;

const once = storyNames.flatMap((name) => where[name].map((shop) => ({ name, shop })));
/** With this many orders each story occurs in each shop that supports it. */
export const fewestStories = once.length;
/** Common stories, for the remaining orders. */
const usual: readonly StoryName[] = ["plain", "plain", "delivered", "pays_late", "ships_in_two_parcels"];

/** Deterministic by seed: first each story in each shop that supports it, then common ones. */
export function planStories(seed: number, count: number): Story[] {
  const random = seededRandom(`story:${seed}`);
  const chosen = shuffled(once, random).slice(0, count);
  while (chosen.length < count) {
    const name = random.chance(50) ? random.pick(usual) : random.pick(storyNames);
    chosen.push({ name, shop: random.pick(where[name]) });
  }
  const before = firstNumber - 1;
  const lastNumbers: Record<ShopName, number> = { north: before, south: before, woo: before };
  return chosen.map(({ name, shop }, index): Story => {
    const ordinal = name === "number_taken" ? firstNumber : ++lastNumbers[shop];
    const number = shop === "woo" ? String(ordinal) : `#${ordinal}`;
    const own = seededRandom(`story:${seed}:${index}`);
    return {
      index,
      name,
      shop,
      number,
      reference: `${prefixes[shop]}${number}`,
      street: `${index + 1} First Street`,
      secondStreet: `${index + 1} Second Street`,
      lines: linesOf(name, index, own),
      locations: own.chance(25) ? 2 : 1,
      seed: `story:${seed}:${index}:acts`,
    };
  });
}

/** At least two lines, the first with several units, so that a partial shipment is possible. */
function linesOf(name: StoryName, index: number, random: ReturnType<typeof seededRandom>): Story["lines"] {
  const isStrange = name === "refused_by_warehouse" || name === "refused_then_listed";
  return Array.from({ length: 2 + random.below(2) }, (_, at) => ({
    sku: isStrange && at === 0 ? `${unlisted}${index}` : `SKU-${1 + random.below(50)}`,
    title: `Thing ${random.below(100)}`,
    quantity: at === 0 ? 2 + random.below(3) : 1 + random.below(2),
    price: `${1 + random.below(90)}.50`,
  }));
}

function shuffled<T>(list: readonly T[], random: ReturnType<typeof seededRandom>): T[] {
  const pool = [...list];
  for (let i = pool.length - 1; i > 0; i--) {
    const other = random.below(i + 1);
    [pool[i], pool[other]] = [pool[other]!, pool[i]!];
  }
  return pool;
}

/** Tracking number of a parcel; unique for any seed. */
export function trackingOf({ index }: Story, parcel: number): string {
  return `PARCEL-${index + 1}-${parcel}`;
}
