import { createContext, use, useEffect } from "react";
import { rememberPage } from "./recent-pages.ts";

/** Formats the window title; set by the shell. */
export const TitleFrame = createContext<(title: string) => string>((title) => title);

/** Sets the window title, for tabs, history, bookmarks and screen readers (WCAG 2.4.2). */
export function usePageTitle(title: string): void {
  const frame = use(TitleFrame);
  useEffect(() => {
    document.title = frame(title);
    if (title) rememberPage(title);
  }, [frame, title]);
}
