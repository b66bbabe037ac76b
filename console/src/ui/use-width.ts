import type { RefCallback } from "react";
import { useCallback, useState } from "react";

/** How wide something is on this screen, for what is drawn to its measure: words keep their size. */
export function useWidth(first: number): { width: number; ref: RefCallback<Element> } {
  const [width, setWidth] = useState(first);
  const ref = useCallback((element: Element | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.round(entry!.contentRect.width))));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { width, ref };
}
