/** One has at most so many times as much as stays free for the others. */
export const share = 3;

/** How much of something that there is little of everybody holds. */
export type Shares = {
  /** False: it would be more than one's share. */
  take(who: string, amount: number): boolean;
  giveBack(who: string, amount: number): void;
};

export function createShares(most: number): Shares {
  const held = new Map<string, number>();
  let all = 0;
  return {
    take(who, amount) {
      const left = most - all - amount;
      const own = (held.get(who) ?? 0) + amount;
      // Whoever holds nothing yet gets something as long as there is room at all.
      if (left < 0 || (own > amount && own > share * left)) return false;
      held.set(who, own);
      all += amount;
      return true;
    },
    giveBack(who, amount) {
      const own = held.get(who)! - amount;
      if (own === 0) held.delete(who);
      else held.set(who, own);
      all -= amount;
    },
  };
}
