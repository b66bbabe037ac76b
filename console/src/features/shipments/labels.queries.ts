import type { Label } from "@order-operations-hub/sdk/api-types";
import type { Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type LabelFilter = NonNullable<Input<"GET /api/v1/shipments/labels">["query"]>;

export const labelsQuery = (filter: LabelFilter) =>
  queryOptions({
    queryKey: ["labels", "list", filter],
    queryFn: ({ signal }) => hub.call("GET /api/v1/shipments/labels", { query: { limit: 50, ...filter }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

/** URL of the label file; the browser sends the session cookie. */
export const labelFile = ({ id }: Pick<Label, "id">): string =>
  `/api/v1/shipments/labels/${encodeURIComponent(id)}/content`;
