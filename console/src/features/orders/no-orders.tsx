import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import type { Search } from "../../ui/search-params.ts";
import { filterSearch } from "./order-filters.pick.ts";
import { text } from "./orders.text.ts";

/** The list without rows: filters to drop, or how a new hub gets its first orders. */
export function NoOrders({ search, onChange }: { search: Search; onChange(change: Search): void }) {
  const names = Object.keys(filterSearch(search));
  if (names.length === 0) return <NoOrdersYet />;
  return (
    <Empty text={text.nothing}>
      <Button onClick={() => onChange(Object.fromEntries(names.map((name) => [name, undefined])))}>
        {text.dropFilters}
      </Button>
    </Empty>
  );
}

/** One way to begin, and the others as links. */
function NoOrdersYet() {
  const me = useMe();
  const mayImport = missingScope(me, "orders:write") === undefined;
  const mayConnect = missingScope(me, "bridges:write") === undefined;
  return (
    <Empty text={text.none}>
      <span className="flex flex-wrap items-center justify-center gap-3">
        {mayImport && (
          <Link href={paths.orderImport()} className={buttonClass("primary")}>
            Import orders
          </Link>
        )}
        {mayConnect && (
          <Link href={paths.newBridge()} className="text-accent-text hover:underline">
            Connect a shop
          </Link>
        )}
      </span>
    </Empty>
  );
}
