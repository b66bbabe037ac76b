import { useSyncExternalStore } from "react";

/** Whether the hub is reachable. One bar shows it for the whole page. */
export type Connection = "there" | "away" | "signed-out";

let state: Connection = "there";
const listeners = new Set<() => void>();

export function setConnection(next: Connection): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => state);
