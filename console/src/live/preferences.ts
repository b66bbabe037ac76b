import { useMutation, useQuery, queryOptions } from "@tanstack/react-query";
import { useEffect } from "react";
import { hub, queryClient } from "./hub.ts";

/** Preferences of a user, stored in the hub so that they apply on every device. */
export type Preferences = {
  theme: "light" | "dark" | "system";
  density: "compact" | "comfortable";
  timeZone: string;
  singleKeys: boolean;
  isDockOpen: boolean;
  orderColumns: string[];
  /** The setup checklist of the overview is hidden. */
  isStartHidden?: boolean;
  /** Widths of columns of the order list in pixels, by column. */
  orderWidths: Record<string, number>;
  /** Columns of the order list that stay in sight while the others scroll. */
  orderPins: number;
  /** Saved views of orders in the order of their tabs, by id; others follow. */
  orderViews: string[];
  /** Saved view that the order list opens with. */
  defaultOrderView?: string | undefined;
  /** Column mappings by the header of the file. */
  rateMappings?: Record<string, Record<string, string | null>>;
  /** How documents are printed, by kind. */
  print?: Record<string, PrintPreference>;
};

type PrintPreference = {
  paper?: "4x6" | "a6" | "a4" | "letter";
  format: "pdf" | "zpl";
  sort: "given" | "sku" | "location" | "created";
  /** A PDF goes to the print dialog, unless it is to be downloaded. */
  output?: "dialog" | "file";
};

const defaults: Preferences = {
  theme: "system",
  density: "compact",
  timeZone: "browser",
  singleKeys: true,
  isDockOpen: false,
  orderColumns: [],
  orderWidths: {},
  orderPins: 1,
  orderViews: [],
};

/** Local copy for the first paint: without it a dark page would flash white. */
const copyKey = "ooh-preferences";

function readCopy(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(copyKey) ?? "{}") as Partial<Preferences>;
  } catch {
    return {};
  }
}

type Stored = { preferences: Record<string, unknown>; version: number };

const preferencesQuery = queryOptions({
  queryKey: ["preferences"],
  queryFn: async (): Promise<Stored> => hub.call("GET /api/v1/me/preferences"),
  staleTime: Number.POSITIVE_INFINITY,
});

export function applyAppearance({ theme, density }: Pick<Preferences, "theme" | "density">): void {
  const root = document.documentElement;
  if (theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
  root.dataset["density"] = density;
}

export const initialPreferences = (): Preferences => ({ ...defaults, ...readCopy() });

export function usePreferences(): { preferences: Preferences; set(change: Partial<Preferences>): void } {
  const { data } = useQuery(preferencesQuery);
  const preferences = data
    ? { ...defaults, ...(data.preferences["console"] as Partial<Preferences> | undefined) }
    : initialPreferences();
  const save = useMutation({
    scope: { id: "preferences" },
    mutationFn: async (change: Partial<Preferences>) => {
      const now = queryClient.getQueryData<Stored>(["preferences"])?.preferences ?? {};
      const console = { ...(now["console"] as object | undefined), ...change };
      return hub.call("PUT /api/v1/me/preferences", { body: { preferences: { ...now, console } } });
    },
    onMutate: async (change) => {
      // All preferences are saved at once: before those of the hub are known, the others would be lost.
      await queryClient.ensureQueryData(preferencesQuery);
      queryClient.setQueryData<Stored>(["preferences"], (old) => ({
        version: old?.version ?? 0,
        preferences: {
          ...old?.preferences,
          console: { ...(old?.preferences["console"] as object | undefined), ...change },
        },
      }));
    },
  });
  return { preferences, set: save.mutate };
}

/** Applies theme and density to the page. */
export function useAppearance(): void {
  const { preferences } = usePreferences();
  const { theme, density } = preferences;
  const text = JSON.stringify(preferences);
  useEffect(() => {
    applyAppearance({ theme, density });
    try {
      localStorage.setItem(copyKey, text);
    } catch {
      // Storage is disabled in this browser.
    }
  }, [theme, density, text]);
}
