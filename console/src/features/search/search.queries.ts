import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

/** Searches all record types by name, number or ID. */
export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ["search", q],
    queryFn: async ({ signal }) => (await hub.call("GET /api/v1/search", { query: { q }, signal })).data,
    placeholderData: keepPreviousData,
  });
