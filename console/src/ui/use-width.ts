import type { RefCallback } from "react";
import { useCallback, useState } from "react";

/** Measured width of an element, for SVGs whose text must keep its size. */
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
