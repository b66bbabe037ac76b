import { useEntityNames } from "../pick/entity-names.queries.ts";
import type { NameOf } from "./named-values.ts";

export function useRecordNames(): NameOf {
  const lists = [
    useEntityNames("location").data,
    useEntityNames("carrier_account").data,
    useEntityNames("user").data,
    useEntityNames("bridge").data,
  ];
  return (id) => {
    for (const list of lists) {
      const found = list?.find((one) => one.id === id);
      if (found) return found.name;
    }
    return undefined;
  };
}
