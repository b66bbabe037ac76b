import type { HubApiError } from "@order-operations-hub/sdk/problem";
import { useSyncExternalStore } from "react";

type Waiting = (isProved: boolean) => void;

/** Calls that go on when somebody has shown once more who they are. Whatever form they came from still waits, as it was. */
let waiting: readonly Waiting[] = [];
const listeners = new Set<() => void>();

function setWaiting(next: readonly Waiting[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Who came from an identity provider has nothing to type here: the refusal says what they can do instead. */
const isAskedHere = ({ code, problem }: HubApiError): boolean =>
  code === "step_up_required" && ((problem as { how?: string }).how ?? "").endsWith("/auth/step-up");

export async function askForProof(error: HubApiError): Promise<boolean> {
  if (!isAskedHere(error)) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  setWaiting([...waiting, resolve]);
  return await promise;
}

/** All that wait go on, or are refused. */
export function endProof(isProved: boolean): void {
  const all = waiting;
  setWaiting([]);
  for (const resolve of all) resolve(isProved);
}

export const useIsProofWanted = (): boolean => useSyncExternalStore(subscribe, () => waiting.length > 0);
