import type { Answer } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type Organization = Answer<"GET /api/v1/organizations/{id}">;

export const organizationsQuery = (page: number) =>
  queryOptions({
    queryKey: ["organizations", "list", page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/organizations", { query: { page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });

export const readOrganization = (id: string): Promise<Organization> =>
  hub.call("GET /api/v1/organizations/{id}", { path: { id } });

export const organizationQuery = (id: string) =>
  queryOptions({ queryKey: ["organizations", "one", id], queryFn: () => readOrganization(id) });
