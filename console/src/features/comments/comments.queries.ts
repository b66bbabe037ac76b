import type { ExceptionComment as Comment } from "@order-operations-hub/sdk/api-types";
import { queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type { Comment };

export const commentsQuery = (id: string) =>
  queryOptions({
    queryKey: ["comments", id],
    queryFn: async ({ signal }): Promise<Comment[]> =>
      (await hub.call("GET /api/v1/exceptions/{id}/comments", { path: { id }, query: { limit: 100 }, signal })).data,
  });
