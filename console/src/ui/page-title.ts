import { createContext, use, useEffect } from "react";

/** How the title of the window is written around the name of a page; the frame says so. */
export const TitleFrame = createContext<(title: string) => string>((title) => title);

/** Names the page where a window is chosen by its title: tabs, history, bookmarks, screen readers (WCAG 2.4.2). */
export function usePageTitle(title: string): void {
  const frame = use(TitleFrame);
  useEffect(() => {
    document.title = frame(title);
  }, [frame, title]);
}
