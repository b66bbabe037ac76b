import type { HubApiError } from "@order-operations-hub/sdk/problem";
import { useSyncExternalStore } from "react";

type Waiting = (isProved: boolean) => void;
/** Where the user authenticates again: here with password or code, or at the identity provider. */
export type StepUpMethod = "here" | "issuer";

/** Requests that wait for a step-up authentication. Their forms stay as they are. */
let waiting: readonly Waiting[] = [];
let method: StepUpMethod = "here";
const listeners = new Set<() => void>();

function setWaiting(next: readonly Waiting[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export async function requestStepUp({ code, problem }: HubApiError): Promise<boolean> {
  if (code !== "step_up_required") return false;
  const { how = "" } = problem as { how?: string };
  method = how.endsWith("/auth/step-up") ? "here" : "issuer";
  const { promise, resolve } = Promise.withResolvers<boolean>();
  setWaiting([...waiting, resolve]);
  return await promise;
}

/** Repeats or rejects all waiting requests. */
export function finishStepUp(isProved: boolean): void {
  const all = waiting;
  setWaiting([]);
  for (const resolve of all) resolve(isProved);
}

export const usePendingStepUp = (): StepUpMethod | undefined =>
  useSyncExternalStore(subscribe, () => (waiting.length > 0 ? method : undefined));
