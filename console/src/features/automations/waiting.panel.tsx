import type { Automation } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Empty } from "../../ui/card.tsx";
import { RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { waitingQuery } from "./automations.queries.ts";

type WaitingOrder = Answer<"GET /api/v1/automations/{id}/waiting">["data"][number];

const columns: Array<ListColumn<WaitingOrder>> = [
  {
    name: "Order",
    cell: ({ order_id: id, order_number: number }) =>
      number === null ? "Deleted" : <RecordLink href={paths.order(id)}>{number}</RecordLink>,
  },
  { name: "Waiting since", cell: ({ since }) => <Time at={since} /> },
  { name: "Until, at the latest", cell: ({ ends_at: at }) => <Time at={at} /> },
  { name: "Next check", className: "text-muted", cell: ({ next_check_at: at }) => <Time at={at} /> },
];

/** Orders between the event and the run. */
export function Waiting({ automation }: { automation: Automation }) {
  return (
    <ListCard
      label="Waiting orders"
      query={useQuery(waitingQuery(automation.id, usePage()))}
      columns={columns}
      idOf={(one) => one.order_id}
      empty={<Empty text="No orders are waiting. Orders are listed here from the event until the preset runs." />}
    />
  );
}
