import { queryOptions } from "@tanstack/react-query";
import { afterMainQuery } from "../../live/after-main-query.ts";
import { hub } from "../../live/hub.ts";

type About = { orderId?: string; executionId?: string };

/** Number of open exceptions. In a file of its own because every page loads it. */
export const openExceptionsQuery = (about: About = {}) =>
  queryOptions({
    queryKey: ["exceptions", "open", about],
    ...afterMainQuery(
      async (signal): Promise<number> =>
        (await hub.call("GET /api/v1/exceptions/counts", { query: about, signal })).total,
    ),
    refetchInterval: 30_000,
    retry: false,
  });
