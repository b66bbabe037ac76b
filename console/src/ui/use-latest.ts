import type { RefObject } from "react";
import { useLayoutEffect, useRef } from "react";

/** A ref to the latest value, for callbacks that must not restart an effect. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
