import { useMutation, useQuery } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import type { Session } from "./users.queries.ts";
import { sessionsQuery } from "./users.queries.ts";

/** Shortens a user agent to the browser's name. */
function programOf(userAgent: string | null, isBrowser: boolean): string {
  if (!userAgent) return "Unknown program";
  const name = /(Firefox|Edg|OPR|Chrome|Safari|HeadlessChrome|curl)[/ ]?(\d+)?/.exec(userAgent);
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1];
  if (!isBrowser || !name) return userAgent.slice(0, 60);
  return [name[1] === "Edg" ? "Edge" : name[1], name[2], system && `on ${system}`].filter(Boolean).join(" ");
}

const columnsWith = (ending: string | undefined, onEnd: (id: string) => void): Array<ListColumn<Session>> => [
  {
    name: "Program",
    className: "max-w-96 truncate",
    cell: ({ userAgent, isBrowser, isCurrent }) => (
      <>
        {programOf(userAgent, isBrowser)} {isCurrent && <Badge tone="info">This session</Badge>}
      </>
    ),
  },
  { name: "Address", className: "font-mono text-sm text-muted", cell: ({ address }) => address ?? "–" },
  { name: "Since", className: "whitespace-nowrap", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: "Last used", className: "whitespace-nowrap", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  {
    name: "",
    isNumber: true,
    cell: ({ id, isCurrent }) => (
      <Button
        kind="quiet"
        disabledReason={isCurrent && "This is your current session. Sign out instead."}
        isBusy={ending === id}
        onClick={() => onEnd(id)}
      >
        End session
      </Button>
    ),
  },
];

/** Active sessions, each with a button to revoke it. */
export function Sessions({ userId }: { userId?: string }) {
  const { data, error, isPending } = useQuery(sessionsQuery(userId));
  const end = useMutation({
    mutationFn: (id: string) => hub.call("DELETE /api/v1/sessions/{id}", { path: { id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      showToast("Session ended");
    },
  });
  return (
    <Card label="Sessions">
      {isPending && <Skeleton rows={2} />}
      {(error ?? end.error) && <ProblemBox error={error ?? end.error} />}
      {data?.length === 0 && <p className="px-3 py-2.5 text-muted">No active sessions</p>}
      {data && data.length > 0 && (
        <RowTable
          label="Sessions"
          rows={data}
          idOf={({ id }) => id}
          columns={columnsWith(end.isPending ? end.variables : undefined, end.mutate)}
        />
      )}
    </Card>
  );
}
