/** A tenant may hold at most this many times what stays free. Alone, it gets three quarters; a newcomer always finds room. */
export const maxTimesFree = 3;

/** Divides a limited amount among tenants. */
export type FairShares = {
  /** False: more than the tenant's share. */
  take(tenant: string, amount: number): boolean;
  giveBack(tenant: string, amount: number): void;
};

export function createFairShares(total: number): FairShares {
  const held = new Map<string, number>();
  let taken = 0;
  return {
    take(tenant, amount) {
      const free = total - taken - amount;
      const own = (held.get(tenant) ?? 0) + amount;
      // A tenant that holds nothing gets its first amount as long as there is room at all.
      if (free < 0 || (own > amount && own > maxTimesFree * free)) return false;
      held.set(tenant, own);
      taken += amount;
      return true;
    },
    giveBack(tenant, amount) {
      const own = held.get(tenant)! - amount;
      if (own === 0) held.delete(tenant);
      else held.set(tenant, own);
      taken -= amount;
    },
  };
}
