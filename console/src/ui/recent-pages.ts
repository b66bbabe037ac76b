export type RecentPage = { href: string; title: string };

const maxKept = 6;
const key = "ooh-recent-pages";

/** Pages of this tab, latest first. */
export function recentPages(): RecentPage[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "[]") as RecentPage[];
  } catch {
    return [];
  }
}

export function rememberPage(title: string): void {
  const { pathname, search } = location;
  const kept = recentPages().filter(({ href }) => href.split("?", 1)[0] !== pathname);
  try {
    sessionStorage.setItem(key, JSON.stringify([{ href: pathname + search, title }, ...kept].slice(0, maxKept)));
  } catch {
    // Storage is disabled in this browser.
  }
}
