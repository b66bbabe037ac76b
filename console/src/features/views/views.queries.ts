import type { Answer } from "@order-operations-hub/sdk/client";
import { queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type View = Answer<"GET /api/v1/views">["data"][number];

/** Own and shared views of a list. */
export const viewsQuery = (list: string) =>
  queryOptions({
    queryKey: ["views", list],
    queryFn: async ({ signal }) => (await hub.call("GET /api/v1/views", { query: { list, limit: 50 }, signal })).data,
    staleTime: 60_000,
  });
