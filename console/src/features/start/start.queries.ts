import { queryOptions } from "@tanstack/react-query";
import { afterMainQuery } from "../../live/after-main-query.ts";
import { hub } from "../../live/hub.ts";
import type { Me } from "../../live/me.ts";

/** Numbers that show how far the setup of a hub is. Undefined: the user may not read it. */
export type StartCounts = {
  bridges: number | undefined;
  carriers: number | undefined;
  orders: number | undefined;
  runs: number | undefined;
  users: number | undefined;
};

const one = { limit: 1 };

/** Counts of what a working hub has, each by a list of one record. */
export const startCountsQuery = ({ scopes }: Me) =>
  queryOptions({
    queryKey: ["start", "counts"],
    ...afterMainQuery(async (signal): Promise<StartCounts> => {
      const countIf = async (
        scope: Me["scopes"][number],
        count: () => Promise<{ pagination: { total: number } }>,
      ): Promise<number | undefined> => (scopes.includes(scope) ? (await count()).pagination.total : undefined);
      const [bridges, carriers, orders, runs, users] = await Promise.all([
        countIf("bridges:read", () => hub.call("GET /api/v1/bridges", { query: one, signal })),
        countIf("carrier_accounts:read", () => hub.call("GET /api/v1/carrier-accounts", { query: one, signal })),
        countIf("orders:read", () => hub.call("GET /api/v1/orders", { query: { ...one, archived: "any" }, signal })),
        countIf("operations:read", () => hub.call("GET /api/v1/operations/runs", { query: one, signal })),
        countIf("admin", () => hub.call("GET /api/v1/users", { query: one, signal })),
      ]);
      return { bridges, carriers, orders, runs, users };
    }),
    staleTime: 15_000,
    retry: false,
  });
