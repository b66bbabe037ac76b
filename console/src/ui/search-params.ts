import { useRouter, useRouterState } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** This history entry was added by opening a panel; the previous one is the same page without it. */
    isPanel?: boolean;
  }
}

export type Search = Record<string, string | string[] | undefined>;

/** Search parameters: filters, sorting and the open panel. The address is their only store. */
export function useSearchParams(): { search: Search; set(change: Search, how?: "push" | "replace"): void } {
  const router = useRouter();
  const search = useRouterState({ select: (state): Search => state.location.search });
  return {
    search,
    set(change, how = "push") {
      // The current address, not that of the last render: two changes can follow each other.
      const now: Search = router.latestLocation.search;
      const next = { ...now, ...change };
      const href = router.latestLocation.pathname + router.options.stringifySearch(next);
      if (how === "push") router.history.push(href);
      else router.history.replace(href);
    },
  };
}

/**
 * Side panel, stored in the address. Opening it adds a history entry, so that Back closes it; moving between records in an open
 * panel does not.
 */
export function usePanel(name = "open"): { open: string | undefined; show(next: string | undefined): void } {
  const router = useRouter();
  const { search } = useSearchParams();
  return {
    open: oneOf(search[name]),
    show(next) {
      const { search: now, state, pathname } = router.latestLocation;
      const isPanel = state.isPanel ?? false;
      if (next === undefined && isPanel) {
        router.history.back();
        return;
      }
      const href = pathname + router.options.stringifySearch({ ...now, [name]: next });
      const isOpen = oneOf((now as Search)[name]) !== undefined;
      if (next !== undefined && !isOpen) router.history.push(href, { isPanel: true });
      else router.history.replace(href, { isPanel: isPanel && next !== undefined });
    },
  };
}

export const listOf = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat());
export const oneOf = (value: string | string[] | undefined): string | undefined => listOf(value)[0];
