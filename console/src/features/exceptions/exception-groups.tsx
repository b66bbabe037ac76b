import { useState } from "react";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatCount } from "../../ui/format.ts";
import { Menu } from "../../ui/menu.tsx";
import { useSearchParams } from "../../ui/search-params.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { exceptionCan } from "./exceptions.can.ts";
import type { ExceptionFilter, ExceptionGroup, FixManyRequest } from "./exceptions.queries.ts";
import type { Cause } from "./exceptions.text.ts";
import { causeOf, fixName, groupTitle, kindName } from "./exceptions.text.ts";
import { FixMany } from "./fix-many.tsx";

type Props = { groups: readonly ExceptionGroup[]; filter: ExceptionFilter; bridgeName(id: string): string };
/** Clears the filters of a cause. */
const noCause = {
  kind: undefined,
  code: undefined,
  bridgeId: undefined,
  taskName: undefined,
  errorCode: undefined,
  field: undefined,
};

/** The part of the filter that a cause sets. */
const pick = (filter: ExceptionFilter, cause: Cause): object =>
  Object.fromEntries(Object.keys(cause).map((name) => [name, filter[name as keyof Cause]]));

type Asked = { group: ExceptionGroup; action: FixManyRequest["action"] };

/** Exceptions grouped by cause, with actions for a whole group. */
export function ExceptionGroups({ groups, filter, bridgeName }: Props) {
  const { set } = useSearchParams();
  const [asked, setAsked] = useState<Asked>();
  const refused = exceptionCan.fixMany(useMe());
  return (
    <Card label="Causes">
      <Table label="Exceptions by cause">
        <thead>
          <tr>
            <Th>Cause</Th>
            <Th>Connection</Th>
            <Th>Last seen</Th>
            <Th isNumber>Exceptions</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => {
            const { kind, bridgeId } = group;
            const cause = causeOf(group);
            const key = JSON.stringify(cause);
            const isOn = key === JSON.stringify(pick(filter, cause));
            const [first, ...others] = group.availableActions as Array<FixManyRequest["action"]>;
            return (
              <tr key={key}>
                <Td className="h-8 w-1/2 max-w-0 min-w-64">
                  <span className="flex min-h-8 items-center gap-2">
                    <Badge tone="bad">{kindName(kind)}</Badge>
                    <span className="truncate" title={`${group.message} (${group.errorCode ?? group.code})`}>
                      {groupTitle(group)}
                    </span>
                  </span>
                </Td>
                <Td className="max-w-40 truncate text-muted">{bridgeId ? bridgeName(bridgeId) : "–"}</Td>
                <Td className="whitespace-nowrap text-muted">
                  <Time at={group.lastSeenAt} />
                </Td>
                <Td isNumber>{formatCount(group.count)}</Td>
                <Td isNumber className="whitespace-nowrap">
                  <span className="inline-flex items-center gap-1.5">
                    <Button
                      kind="quiet"
                      aria-pressed={isOn}
                      onClick={() => set({ ...(isOn ? noCause : { ...noCause, ...cause }), page: undefined })}
                    >
                      {isOn ? "Show all" : "Show"}
                    </Button>
                    {first && (
                      <Button disabledReason={refused} onClick={() => setAsked({ group, action: first })}>
                        {`${fixName(first)} all`}
                      </Button>
                    )}
                    {others.length > 0 && (
                      <Menu
                        label="…"
                        name={`More actions: ${groupTitle(group)}`}
                        kind="quiet"
                        items={others.map((action) => ({
                          label: `${fixName(action)} all`,
                          disabledReason: refused,
                          onPick: () => setAsked({ group, action }),
                        }))}
                      />
                    )}
                  </span>
                </Td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {asked && <FixMany {...asked} filter={filter} onClose={() => setAsked(undefined)} />}
    </Card>
  );
}
