import { useEffect, useState } from "react";

/** What was typed, once typing has paused: nobody asks the hub at every key. */
export function useSettled<T>(value: T, pauseMs = 300): T {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState({ text, value });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ text, value }), pauseMs);
    return () => clearTimeout(timer);
    // Compared by what it says, not by which object it is.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [text, pauseMs]);
  return settled.text === text ? value : settled.value;
}
