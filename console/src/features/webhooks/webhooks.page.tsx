import type { Webhook } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { formatCount, sentence, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { webhookCan } from "./webhook.can.ts";
import { webhooksQuery } from "./webhooks.queries.ts";
import { healthNames, healthTones, hostOf, text, webhookTones } from "./webhooks.text.ts";

const columns: Array<ListColumn<Webhook>> = [
  {
    name: "Webhook",
    cell: (one) => (
      <Link
        href={paths.webhook(one.id)}
        className="inline-flex min-h-6 max-w-80 items-center truncate font-medium text-accent-text hover:underline"
      >
        {one.description || hostOf(one.url)}
      </Link>
    ),
  },
  { name: "State", cell: (one) => <Badge tone={webhookTones[one.status] ?? "skip"}>{words(one.status)}</Badge> },
  {
    name: "Endpoint",
    className: "whitespace-nowrap",
    cell: ({ health }) => (
      <Badge tone={healthTones[health.status] ?? "skip"}>{healthNames[health.status] ?? words(health.status)}</Badge>
    ),
  },
  { name: "Address", className: "max-w-72 truncate font-mono text-sm text-muted", cell: (one) => one.url },
  { name: "Is told of", className: "max-w-56 truncate", cell: (one) => one.types.join(", ") },
  { name: "Pending", isNumber: true, cell: (one) => formatCount(one.pendingCount) },
  {
    name: "Last taken",
    className: "whitespace-nowrap text-muted",
    cell: (one) => <Time at={one.health.lastSuccessAt} />,
  },
];

export function WebhooksPage() {
  const { search } = useSearchParams();
  const page = usePage();
  const status = oneOf(search["status"]);
  const sought = oneOf(search["search"]);
  const webhooks = useQuery(
    webhooksQuery({ page, ...(status ? { status: status as "active" } : {}), ...(sought ? { search: sought } : {}) }),
  );
  const refused = webhookCan.change(useMe());
  const isNone = webhooks.data?.pagination.total === 0 && !status && !sought;
  const tabs = [
    { href: paths.webhooks(), label: "All", isOn: !status },
    ...["active", "paused", "disabled"].map((name) => ({
      href: paths.webhooks({ status: name }),
      label: sentence(name),
      isOn: status === name,
    })),
  ];
  return (
    <>
      <PageHead title="Webhooks">
        {refused ? (
          <Button kind="primary" disabledReason={refused}>
            New webhook
          </Button>
        ) : (
          <Link href={paths.newWebhook()} className={buttonClass("primary")}>
            New webhook
          </Link>
        )}
      </PageHead>
      <TabLinks label="Webhooks by state" tabs={tabs} />
      {!isNone && (
        <div className="mb-2.5 max-w-72">
          <SearchBox label="Part of the address or name" />
        </div>
      )}
      <ListCard
        label="Webhooks"
        query={webhooks}
        columns={columns}
        idOf={(one) => one.id}
        empty={
          <Empty text={isNone ? text.none : "No webhook is like that."}>
            {isNone && !refused ? (
              <Link href={paths.newWebhook()} className={buttonClass("primary")}>
                Set up the first one
              </Link>
            ) : (
              <Link href={paths.webhooks()} className={buttonClass("plain")}>
                Show all
              </Link>
            )}
          </Empty>
        }
      />
    </>
  );
}
