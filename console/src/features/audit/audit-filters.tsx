import { Chip } from "../../ui/chip.tsx";
import { sentence } from "../../ui/format.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { Select } from "../../ui/select.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TextField } from "../../ui/text-field.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { objectName, objectTypes } from "./audit.text.ts";

/** Filters by text, object, actor and time. A filter that came with a link is shown as a chip. */
export function AuditFilters({ search }: { search: Search }) {
  const { set } = useSearchParams();
  const { data: users } = useEntityNames("user");
  const value = (name: string): string => oneOf(search[name]) ?? "";
  const choose = (name: string) => (next: string) => set({ [name]: next || undefined, page: undefined });
  const actor = value("actorId");
  const isKnown = users?.some(({ id }) => id === actor);
  const chips = [
    { name: "type", label: "Type", text: value("type") },
    { name: "objectId", label: "Object", text: value("objectId").slice(0, 8) },
  ].filter(({ text }) => text !== "");
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="w-64 max-sm:w-full">
        <SearchBox label="Search the audit log" />
      </div>
      <div className="w-44 max-sm:w-full">
        <Select
          label="Object"
          isLabelHidden
          value={value("objectType")}
          options={[
            { value: "", label: "All objects" },
            ...objectTypes.map((type) => ({ value: type, label: sentence(objectName(type)) })),
          ]}
          onChange={choose("objectType")}
        />
      </div>
      <div className="w-52 max-sm:w-full">
        <Select
          label="Actor"
          isLabelHidden
          value={actor}
          options={[
            { value: "", label: "All actors" },
            ...(users ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ...(actor && !isKnown ? [{ value: actor, label: "API key or deleted user" }] : []),
          ]}
          onChange={choose("actorId")}
        />
      </div>
      <div className="w-36 max-sm:w-full">
        <TextField label="From" type="date" value={value("from")} onChange={choose("from")} />
      </div>
      <div className="w-36 max-sm:w-full">
        <TextField label="To (inclusive)" type="date" value={value("to")} onChange={choose("to")} />
      </div>
      {chips.map(({ name, label, text }) => (
        <Chip key={name} name={label} value={text} onDrop={() => set({ [name]: undefined, page: undefined })} />
      ))}
    </div>
  );
}
