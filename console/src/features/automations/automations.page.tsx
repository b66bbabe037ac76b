import type { Automation } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass, IconButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { presetsQuery } from "../operations/operations.queries.ts";
import { automationCan } from "./automation.can.ts";
import { automationsQuery } from "./automations.queries.ts";
import { modeNames, modeTones, startText, targetText, text } from "./automations.text.ts";

export function AutomationState({ automation }: { automation: Automation }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <Badge tone={modeTones[automation.mode] ?? "skip"}>{modeNames[automation.mode] ?? automation.mode}</Badge>
      {!automation.is_active && <Badge tone="warn">Paused</Badge>}
      {automation.blocked_reason && <Badge tone="bad">Cannot run</Badge>}
    </span>
  );
}

const columnsWith = (
  pipelineName: (id: string) => string,
  orderCell: ((one: Automation) => ReactNode) | undefined,
): Array<ListColumn<Automation>> => [
  ...(orderCell ? [{ name: "Order", className: "w-16 whitespace-nowrap", cell: orderCell }] : []),
  {
    name: "Automation",
    cell: (one) => (
      <Link
        href={paths.automation(one.id)}
        className="inline-flex min-h-6 max-w-72 items-center truncate font-medium text-accent-text hover:underline"
      >
        {one.name}
      </Link>
    ),
  },
  { name: "State", className: "whitespace-nowrap", cell: (one) => <AutomationState automation={one} /> },
  { name: "Trigger", className: "max-w-72 truncate text-muted", cell: startText },
  { name: "Preset", className: "max-w-48 truncate", cell: (one) => targetText(one, pipelineName) },
  { name: "Checked", isNumber: true, cell: (one) => formatCount(one.counters.evaluated) },
  { name: "Matched", isNumber: true, cell: (one) => formatCount(one.counters.matched) },
  { name: "Runs", isNumber: true, cell: (one) => formatCount(one.counters.runs) },
  { name: "Last run", className: "whitespace-nowrap text-muted", cell: (one) => <Time at={one.last_invoked_at} /> },
];

/** Moves an automation: on the same event they run from the top of the list to its end. */
function Moves({ automation, place, count }: { automation: Automation; place: number; count: number }) {
  const move = useMutation({
    mutationFn: (position: number) =>
      hub.call("PATCH /api/v1/automations/{id}", {
        path: { id: automation.id },
        ifMatch: automation.version,
        body: { position },
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["automations"] }),
  });
  const to = (position: number, label: string, icon: "chevron-up" | "chevron-down") => (
    <IconButton
      label={`Move ${automation.name} ${label}`}
      disabledReason={(position < 1 || position > count) && `It is ${label === "up" ? "first" : "last"} already.`}
      isBusy={move.isPending}
      onClick={() => move.mutate(position)}
    >
      <Icon name={icon} size={12} />
    </IconButton>
  );
  return (
    <>
      {to(place - 1, "up", "chevron-up")}
      {to(place + 1, "down", "chevron-down")}
    </>
  );
}

export function AutomationsPage() {
  const { search } = useSearchParams();
  const page = usePage();
  const mode = oneOf(search["mode"]);
  const isPaused = oneOf(search["paused"]) !== undefined;
  const automations = useQuery(
    automationsQuery({
      page,
      ...(mode ? { mode: mode as "preflight" } : {}),
      ...(isPaused ? { is_active: false } : {}),
    }),
  );
  const { data: pipelines } = useQuery(presetsQuery);
  const refused = automationCan.change(useMe());
  const isNone = automations.data?.pagination.total === 0 && !mode && !isPaused;
  const rows = automations.data?.data ?? [];
  const orderCell =
    refused || mode || isPaused || rows.length < 2
      ? undefined
      : (one: Automation) => <Moves automation={one} place={rows.indexOf(one) + 1} count={rows.length} />;
  return (
    <>
      <PageHead title="Automations">
        {refused ? (
          <Button kind="primary" disabledReason={refused}>
            New automation
          </Button>
        ) : (
          <Link href={paths.newAutomation()} className={buttonClass("primary")}>
            New automation
          </Link>
        )}
      </PageHead>
      <TabLinks
        label="Automations by state"
        tabs={[
          { href: paths.automations(), label: "All", isOn: !mode && !isPaused },
          { href: paths.automations({ mode: "run" }), label: "Live", isOn: mode === "run" },
          { href: paths.automations({ mode: "preflight" }), label: "Test mode", isOn: mode === "preflight" },
          { href: paths.automations({ paused: "1" }), label: "Paused", isOn: isPaused },
        ]}
      />
      <ListCard
        label="Automations"
        query={automations}
        columns={columnsWith((id) => pipelines?.find((one) => one.id === id)?.name ?? "–", orderCell)}
        idOf={(one) => one.id}
        empty={
          <Empty text={isNone ? text.none : "No automations match these filters."}>
            {isNone && !refused ? (
              <Link href={paths.newAutomation()} className={buttonClass("primary")}>
                Create automation
              </Link>
            ) : (
              <Link href={paths.automations()} className={buttonClass("plain")}>
                Show all
              </Link>
            )}
          </Empty>
        }
      />
    </>
  );
}
