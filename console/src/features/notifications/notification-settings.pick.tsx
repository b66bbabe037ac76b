import { useMutation, useQuery } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { NotificationKind, NotificationSettings as Settings } from "./notifications.queries.ts";
import { notificationSettingsQuery } from "./notifications.queries.ts";

const names: Record<NotificationKind, string> = {
  run_failed: "Runs with failed orders",
  automation_paused: "Automations paused by the hub",
  exception_assigned: "Exceptions assigned to me",
  mention: "Comments that mention me",
  connection_failing: "Failing connections",
};

/** Which notifications the user gets; each change is saved at once. */
export function NotificationSettings() {
  const { data, error } = useQuery(notificationSettingsQuery);
  const save = useMutation({
    mutationFn: (kinds: Settings["kinds"]) => hub.call("PUT /api/v1/notifications/settings", { body: { kinds } }),
    onMutate: (kinds) =>
      queryClient.setQueryData(notificationSettingsQuery.queryKey, (before) => before && { ...before, kinds }),
    onError: () => queryClient.invalidateQueries({ queryKey: notificationSettingsQuery.queryKey }),
  });
  return (
    <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="Notification settings">
      <Heading title="Notifications" />
      {(error ?? save.error) && <ProblemBox error={error ?? save.error} />}
      {!data && !error && <Skeleton rows={4} />}
      {data && (
        <>
          <table className="w-full">
            <thead>
              <tr className="text-start text-sm text-muted">
                <th className="py-1 text-start font-medium">Notify me about</th>
                <th className="px-2 text-center font-medium">Console</th>
                <th className="px-2 text-center font-medium">E-mail</th>
              </tr>
            </thead>
            <tbody>
              {(Object.keys(names) as NotificationKind[]).map((kind) => (
                <tr key={kind} className="border-t border-line">
                  <th scope="row" className="py-1.5 text-start font-normal">
                    {names[kind]}
                  </th>
                  {(["console", "email"] as const).map((channel) => (
                    <td key={channel} className="px-2">
                      <span className="flex justify-center">
                        <Checkbox
                          label={`${names[kind]}: ${channel === "email" ? "e-mail" : "console"}`}
                          isLabelHidden
                          isChecked={data.kinds[kind][channel]}
                          onChange={(isOn) =>
                            save.mutate({ ...data.kinds, [kind]: { ...data.kinds[kind], [channel]: isOn } })
                          }
                        />
                      </span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          <p className="text-sm text-muted">
            {data.canEmail
              ? "E-mails are collected: you get at most one in ten minutes."
              : "This hub sends no e-mail. The choice counts as soon as a mail server is set up."}
          </p>
        </>
      )}
    </Card>
  );
}
