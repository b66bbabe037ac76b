import { Checkbox } from "../../ui/checkbox.tsx";
import { sentence } from "../../ui/format.ts";
import type { ScopeName } from "./api-keys.queries.ts";

const groupName = (group: string): string => (group === "pii" ? "Personal data" : sentence(group));

/** Scopes of a key, grouped by resource. Only scopes that the user has can be granted. */
export function ScopePicker({
  held,
  chosen,
  onChange,
}: {
  held: readonly ScopeName[];
  chosen: ReadonlySet<ScopeName>;
  onChange(chosen: ReadonlySet<ScopeName>): void;
}) {
  const groups = Map.groupBy(held, (scope) => (scope.includes(":") ? scope.split(":", 1)[0]! : "everything"));
  const toggle = (scope: ScopeName) => (isOn: boolean) => {
    const next = new Set(chosen);
    if (isOn) next.add(scope);
    else next.delete(scope);
    onChange(next);
  };
  return (
    <fieldset className="rounded-md border border-line">
      <legend className="mx-2 px-1 text-sm font-medium text-muted">Permissions</legend>
      <div className="max-h-64 overflow-y-auto px-3 pb-2">
        {[...groups].map(([group, scopes]) => (
          <div
            key={group}
            role="group"
            aria-label={groupName(group)}
            className="grid grid-cols-[140px_1fr] items-start border-b border-line py-0.5 last:border-b-0"
          >
            <span className="flex min-h-6 items-center text-muted">{groupName(group)}</span>
            <span className="flex flex-wrap gap-x-4">
              {scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  label={scope === "admin" ? "admin: everything in this organization" : scope}
                  isChecked={chosen.has(scope)}
                  onChange={toggle(scope)}
                />
              ))}
            </span>
          </div>
        ))}
      </div>
    </fieldset>
  );
}
