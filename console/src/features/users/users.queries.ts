import { queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

/** Names to pick from. */
export const userNamesQuery = queryOptions({
  queryKey: ["users", "names"],
  queryFn: async ({ signal }) => {
    const { data } = await hub.call("GET /api/v1/users", { query: { limit: 100 }, signal });
    return data.map((one) => ({ id: one.id, name: one.email }));
  },
  staleTime: 60_000,
  retry: false,
});
