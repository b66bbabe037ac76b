import { useSyncExternalStore } from "react";

/** Whether the hub answers. One bar says so for the whole page, instead of every part of it. */
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
