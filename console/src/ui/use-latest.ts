import type { RefObject } from "react";
import { useLayoutEffect, useRef } from "react";

/** What was given last, for what is called later: an effect need not begin anew for it. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
