import { queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

/** Views of a list: one's own, and those that are shared. */
export const viewsQuery = (list: string) =>
  queryOptions({
    queryKey: ["views", list],
    queryFn: async ({ signal }) => (await hub.call("GET /api/v1/views", { query: { list, limit: 50 }, signal })).data,
    staleTime: 60_000,
  });
