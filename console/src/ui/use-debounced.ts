import { useEffect, useState } from "react";

/** Debounced value, so that typing does not send a request per key. */
export function useDebounced<T>(value: T, pauseMs = 300): T {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState({ text, value });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ text, value }), pauseMs);
    return () => clearTimeout(timer);
    // Compared by value, not by identity.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [text, pauseMs]);
  return settled.text === text ? value : settled.value;
}
