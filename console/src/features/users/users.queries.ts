import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type User = Answer<"GET /api/v1/users/{id}">;
export type Role = Input<"POST /api/v1/users">["body"]["role"];
export type Session = Answer<"GET /api/v1/sessions">["data"][number];

export type UserFilter = { role?: Role | undefined; status?: "active" | "disabled" | undefined };

export const usersQuery = (filter: UserFilter, page: number) =>
  queryOptions({
    queryKey: ["users", "list", filter, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/users", {
        query: {
          page,
          limit: 50,
          ...(filter.role ? { role: filter.role } : {}),
          ...(filter.status ? { status: filter.status } : {}),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

export const readUser = (id: string): Promise<User> => hub.call("GET /api/v1/users/{id}", { path: { id } });

export const userQuery = (id: string) => queryOptions({ queryKey: ["users", "one", id], queryFn: () => readUser(id) });

/** Without an ID: the user's own sessions. */
export const sessionsQuery = (userId?: string) =>
  queryOptions({
    queryKey: ["sessions", userId],
    queryFn: async ({ signal }): Promise<Session[]> =>
      (await hub.call("GET /api/v1/sessions", { query: { limit: 100, ...(userId ? { userId } : {}) }, signal })).data,
  });

export type Invitation = Answer<"GET /api/v1/invitations">["data"][number];

/** Accepted and revoked ones are in the audit log. */
export const invitationsQuery = queryOptions({
  queryKey: ["invitations"],
  queryFn: async ({ signal }): Promise<Invitation[]> =>
    (await hub.call("GET /api/v1/invitations", { query: { limit: 100 }, signal })).data.filter(
      ({ status }) => status === "open" || status === "expired",
    ),
});

export type Person = Answer<"GET /api/v1/people">["data"][number];

/** Colleagues by name, for everyone. */
export const peopleQuery = queryOptions({
  queryKey: ["people"],
  queryFn: async ({ signal }): Promise<Person[]> =>
    (await hub.call("GET /api/v1/people", { query: { limit: 500 }, signal })).data,
  staleTime: 60_000,
});
