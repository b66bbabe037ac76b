import { useEffect, useState } from "react";

/** Kept while the tab is open: a reload or a session that ended loses no work. Undefined forgets it. */
export function useKept<T>(place: string): [kept: T | undefined, keep: (next: T | undefined) => void] {
  const [kept, keep] = useState<T | undefined>(() => {
    try {
      return (JSON.parse(sessionStorage.getItem(place) ?? "null") as T | null) ?? undefined;
    } catch {
      return undefined;
    }
  });
  useEffect(() => {
    try {
      if (kept === undefined) sessionStorage.removeItem(place);
      else sessionStorage.setItem(place, JSON.stringify(kept));
    } catch {
      // A browser that keeps nothing.
    }
  }, [place, kept]);
  return [kept, keep];
}
