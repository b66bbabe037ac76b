import { randomUUID } from "node:crypto";
import type { Running } from "./keep-leases.ts";

/** The owners under which a worker holds leases: one per claim. */
export function createOwners<Row>(
  running: ReadonlyMap<string, Running<Row>>,
  reconcile: (owners: string[], knownIds: string[]) => Promise<void>,
) {
  /** Owners that may hold rows not running here: claims without a response, and rows that could not be released. */
  const uncertain = new Set<string>();
  let mayHoldUnknown = false;
  const all = (): string[] => [...uncertain.union(new Set([...running.values()].map(({ owner }) => owner)))];
  return {
    all,
    next(): string {
      const owner = randomUUID();
      uncertain.add(owner);
      return owner;
    },
    answered: (owner: string): boolean => uncertain.delete(owner),
    markUncertain(owner?: string): void {
      if (owner !== undefined) uncertain.add(owner);
      mayHoldUnknown = true;
    },
    /** Releases rows that are leased to these owners and unknown here. */
    async settle(): Promise<void> {
      if (!mayHoldUnknown) return;
      mayHoldUnknown = false;
      const asked = all();
      await reconcile(asked, [...running.keys()]);
      for (const owner of asked) uncertain.delete(owner);
    },
  };
}
