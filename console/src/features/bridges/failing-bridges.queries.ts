import { queryOptions } from "@tanstack/react-query";
import { afterMainQuery } from "../../live/after-main-query.ts";
import { hub } from "../../live/hub.ts";

/** Number of active connections that fail, among the first 100. In a file of its own because every page loads it. */
export const failingBridgesQuery = queryOptions({
  queryKey: ["bridges", "failing"],
  ...afterMainQuery(async (signal): Promise<number> => {
    const { data } = await hub.call("GET /api/v1/bridges", { query: { isActive: true, limit: 100 }, signal });
    return data.filter(({ health }) => health.status === "failing").length;
  }),
  refetchInterval: 60_000,
  retry: false,
});
