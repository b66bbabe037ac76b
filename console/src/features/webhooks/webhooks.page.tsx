import type { Webhook } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { formatCount, sentence } from "../../ui/format.ts";
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
import { hostOf, stateOf } from "./webhooks.text.ts";

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
  {
    name: "Status",
    className: "whitespace-nowrap",
    cell: (one) => <Badge tone={stateOf(one).tone}>{stateOf(one).name}</Badge>,
  },
  { name: "URL", className: "max-w-72 truncate font-mono text-sm text-muted", cell: (one) => one.url },
  { name: "Events", className: "max-w-56 truncate", cell: (one) => one.types.join(", ") },
  { name: "Pending", isNumber: true, cell: (one) => formatCount(one.pendingCount) },
  {
    name: "Last delivered",
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
      <TabLinks label="Webhooks by status" tabs={tabs} />
      {!isNone && (
        <div className="mb-2.5 max-w-72">
          <SearchBox label="Search by URL or name" />
        </div>
      )}
      <ListCard
        label="Webhooks"
        query={webhooks}
        columns={columns}
        idOf={(one) => one.id}
        empty={
          isNone ? (
            <Empty
              icon="webhook"
              title="No webhooks yet"
              text="A webhook sends events, such as a shipped order, to another system as they happen."
            >
              {!refused && (
                <Link href={paths.newWebhook()} className={buttonClass("primary")}>
                  New webhook
                </Link>
              )}
            </Empty>
          ) : (
            <Empty text="No webhooks match these filters.">
              <Link href={paths.webhooks()} className={buttonClass("plain")}>
                Clear filters
              </Link>
            </Empty>
          )
        }
      />
    </>
  );
}
