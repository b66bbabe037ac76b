import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { plural, sentence } from "../../ui/format.ts";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import type { ApiKey, ScopeName } from "./api-keys.queries.ts";
import { apiKeysQuery } from "./api-keys.queries.ts";
import { bundleName } from "./key-bundles.ts";
import type { CreatedKey } from "./new-key.tsx";
import { KeyValue, NewKey } from "./new-key.tsx";

type Doing = { what: "new" } | { what: "delete" | "rotate"; key: ApiKey };

const columnsWith = (
  refused: string | undefined,
  held: readonly ScopeName[],
  onDo: (doing: Doing) => void,
): Array<ListColumn<ApiKey>> => [
  {
    name: "Name",
    className: "max-w-56 truncate font-medium",
    cell: (key) => (
      <>
        {key.name} {key.agent && <Badge tone="info">AI assistant</Badge>}
      </>
    ),
  },
  {
    name: "Value",
    className: "font-mono text-sm whitespace-nowrap text-muted",
    cell: (key) => `${key.prefix}…${key.last4}`,
  },
  {
    name: "Permissions",
    className: "max-w-72 truncate text-muted",
    cell: (key) => <span title={key.scopes.join(", ")}>{permissionText(key.scopes, held)}</span>,
  },
  {
    name: "State",
    cell: (key) =>
      key.creatorDeleted ? (
        <Badge tone="warn">Creator deleted</Badge>
      ) : (
        <Badge tone={key.status === "active" ? "ok" : "skip"}>
          {key.replacedBy ? "Replaced" : sentence(key.status)}
        </Badge>
      ),
  },
  {
    name: "Last used",
    className: "whitespace-nowrap",
    cell: (key) => (key.lastUsedAt ? <Time at={key.lastUsedAt} /> : <span className="text-muted">Never</span>),
  },
  {
    name: "Expires",
    className: "whitespace-nowrap",
    cell: (key) => (key.expiresAt ? <Time at={key.expiresAt} /> : <span className="text-warn">Never</span>),
  },
  {
    name: "Created by",
    className: "max-w-44 truncate text-muted",
    cell: ({ createdBy }) => createdBy.email ?? createdBy.name ?? "Hub",
  },
  {
    name: "",
    isNumber: true,
    cell: (key) => (
      <Menu
        label="…"
        name={`Actions for ${key.name}`}
        kind="quiet"
        items={[
          {
            label: "Rotate key",
            note: "Creates a new value. The old one works for another day.",
            disabledReason: refused,
            onPick: () => onDo({ what: "rotate", key }),
          },
          {
            label: "Revoke key",
            note: "The key stops working at once.",
            disabledReason: refused,
            onPick: () => onDo({ what: "delete", key }),
          },
        ]}
      />
    ),
  },
];

const permissionText = (scopes: readonly string[], held: readonly ScopeName[]): string =>
  scopes.includes("admin") ? "Administrator" : (bundleName(scopes, held) ?? plural(scopes.length, "permission"));

/** API keys. The hub stores only a hash, so a value cannot be shown again. */
export function ApiKeysPage() {
  const me = useMe();
  const keys = useQuery(apiKeysQuery(usePage()));
  const [doing, setDoing] = useState<Doing>();
  const [rotated, setRotated] = useState<CreatedKey>();
  const refused = missingScope(me, "admin");
  const close = (): void => setDoing(undefined);
  return (
    <>
      <PageHead title="Keys" note="For programs that use the API">
        <Button kind="primary" disabledReason={refused} onClick={() => setDoing({ what: "new" })}>
          Create key
        </Button>
      </PageHead>
      <ListCard
        label="Keys"
        query={keys}
        columns={columnsWith(refused, me.scopes as ScopeName[], setDoing)}
        idOf={(key) => key.id}
        empty={
          <Empty text="No keys yet. Give each program that uses the API its own key, with only the permissions it needs.">
            <Button disabledReason={refused} onClick={() => setDoing({ what: "new" })}>
              Create key
            </Button>
          </Empty>
        }
      />
      {doing?.what === "new" && <NewKey onClose={close} />}
      {doing?.what === "delete" && <Revoke apiKey={doing.key} onClose={close} />}
      {doing?.what === "rotate" && <Rotate apiKey={doing.key} onMade={setRotated} onClose={close} />}
      {rotated && (
        <KeyValue
          made={rotated}
          note="The old value works for another day. Replace it in your program before then."
          onClose={() => setRotated(undefined)}
        />
      )}
    </>
  );
}

function Revoke({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  return (
    <Confirm
      title={`Revoke ${apiKey.name}?`}
      yes="Revoke key"
      run={async () => {
        await hub.call("DELETE /api/v1/api-keys/{id}", { path: { id: apiKey.id } });
        await queryClient.invalidateQueries({ queryKey: ["api-keys"] });
        showToast(`Key ${apiKey.name} revoked`);
      }}
      onClose={onClose}
    >
      <p>
        Programs that use this key are refused from the next request on.{" "}
        {apiKey.lastUsedAt ? (
          <>
            The key was last used <Time at={apiKey.lastUsedAt} />.
          </>
        ) : (
          "The key was never used."
        )}
      </p>
    </Confirm>
  );
}

function Rotate({ apiKey, onMade, onClose }: { apiKey: ApiKey; onMade(made: CreatedKey): void; onClose(): void }) {
  return (
    <Confirm
      title={`Rotate ${apiKey.name}?`}
      yes="Rotate key"
      run={async () => {
        const made = await hub.call("POST /api/v1/api-keys/{id}/rotate", { path: { id: apiKey.id }, body: {} });
        await queryClient.invalidateQueries({ queryKey: ["api-keys"] });
        onMade(made);
      }}
      onClose={onClose}
    >
      <p>Creates a new value. The old value works for another day.</p>
    </Confirm>
  );
}
