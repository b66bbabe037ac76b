import { useMutation, useQuery } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { tell } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { sessionsQuery } from "./users.queries.ts";

/** What a browser calls itself is long and says mostly what it is not. */
function programOf(userAgent: string | null, isBrowser: boolean): string {
  if (!userAgent) return "unknown";
  const name = /(Firefox|Edg|OPR|Chrome|Safari|HeadlessChrome|curl)[/ ]?(\d+)?/.exec(userAgent);
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1];
  if (!isBrowser || !name) return userAgent.slice(0, 60);
  return [name[1] === "Edg" ? "Edge" : name[1], name[2], system && `on ${system}`].filter(Boolean).join(" ");
}

/** Where somebody is signed in; each can be ended by itself. */
export function Sessions({ userId }: { userId?: string }) {
  const { data, error, isPending } = useQuery(sessionsQuery(userId));
  const end = useMutation({
    mutationFn: (id: string) => hub.call("DELETE /api/v1/sessions/{id}", { path: { id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      tell("The session is ended");
    },
  });
  return (
    <Card label="Sessions">
      {isPending && <Skeleton rows={2} />}
      {(error ?? end.error) && <ProblemBox error={error ?? end.error} />}
      {data?.length === 0 && <p className="px-3 py-2.5 text-muted">Nowhere signed in now.</p>}
      {data && data.length > 0 && (
        <Table label="Sessions">
          <thead>
            <tr>
              <Th>With</Th>
              <Th>From</Th>
              <Th>Since</Th>
              <Th>Last used</Th>
              <Th>
                <span className="sr-only">Actions</span>
              </Th>
            </tr>
          </thead>
          <tbody>
            {data.map((session) => (
              <tr key={session.id}>
                <Td className="max-w-72 truncate">
                  {programOf(session.userAgent, session.isBrowser)}{" "}
                  {session.isCurrent && <Badge tone="info">this one</Badge>}
                </Td>
                <Td className="font-mono text-sm text-muted">{session.address ?? "–"}</Td>
                <Td className="whitespace-nowrap">
                  <Time at={session.createdAt} />
                </Td>
                <Td className="whitespace-nowrap">
                  <Time at={session.lastUsedAt} />
                </Td>
                <Td isNumber>
                  <Button
                    kind="quiet"
                    disabledReason={session.isCurrent && "This is the session you are in: sign out instead."}
                    isBusy={end.isPending && end.variables === session.id}
                    onClick={() => end.mutate(session.id)}
                  >
                    End
                  </Button>
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  );
}
