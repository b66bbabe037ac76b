import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

/** Records of all kinds that are called, or begin with, what somebody types. */
export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ["search", q],
    queryFn: async ({ signal }) => (await hub.call("GET /api/v1/search", { query: { q }, signal })).data,
    placeholderData: keepPreviousData,
  });
