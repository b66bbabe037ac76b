/** How many requests to endpoints are under way in this process, and whose they are. */
export type SendPlaces = {
  /** False: not now. Who has nothing under way always gets one: an endpoint is never shut out by those that are slow. */
  take(orgId: string, isFirst: boolean): boolean;
  give(orgId: string): void;
};

const share = 3;

/** One organization gets at most three times as many as stay free for the others. */
export function createSendPlaces(slots: number): SendPlaces {
  const byOrg = new Map<string, number>();
  let free = slots;
  return {
    take(orgId, isFirst) {
      const has = byOrg.get(orgId) ?? 0;
      if (!isFirst && (free <= 0 || has >= share * free)) return false;
      byOrg.set(orgId, has + 1);
      free--;
      return true;
    },
    give(orgId) {
      const left = byOrg.get(orgId)! - 1;
      if (left === 0) byOrg.delete(orgId);
      else byOrg.set(orgId, left);
      free++;
    },
  };
}
