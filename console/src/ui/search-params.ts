import { useRouter, useRouterState } from "@tanstack/react-router";

export type Search = Record<string, string | string[] | undefined>;

/** What the address says after the question mark: filters, sorting, what is open. Nothing of that is kept elsewhere. */
export function useSearchParams(): { search: Search; set(change: Search, how?: "push" | "replace"): void } {
  const router = useRouter();
  const search = useRouterState({ select: (state): Search => state.location.search });
  return {
    search,
    set(change, how = "push") {
      // What the address says now, not when the page was drawn: two changes may follow each other.
      const now: Search = router.latestLocation.search;
      const next = { ...now, ...change };
      const href = router.latestLocation.pathname + router.options.stringifySearch(next);
      if (how === "push") router.history.push(href);
      else router.history.replace(href);
    },
  };
}

export const listOf = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat());
export const oneOf = (value: string | string[] | undefined): string | undefined => listOf(value)[0];
