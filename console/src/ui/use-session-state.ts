import { useEffect, useState } from "react";

/** State kept in the session storage, so that a reload or an expired session loses no work. Undefined removes it. */
export function useSessionState<T>(key: string): [kept: T | undefined, keep: (next: T | undefined) => void] {
  const [kept, keep] = useState<T | undefined>(() => {
    try {
      return (JSON.parse(sessionStorage.getItem(key) ?? "null") as T | null) ?? undefined;
    } catch {
      return undefined;
    }
  });
  useEffect(() => {
    try {
      if (kept === undefined) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(kept));
    } catch {
      // Storage is disabled in this browser.
    }
  }, [key, kept]);
  return [kept, keep];
}
