import { useEffect, useState } from "react";
import { oneOf, useSearchParams } from "./search-params.ts";
import { TextField } from "./text-field.tsx";
import { useLatest } from "./use-latest.ts";

const waitMs = 250;

/** Debounced text input. A change from outside, such as browser back, replaces the text. */
export function useTypedText(value: string, onChange: (text: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  /** Reported texts that have not come back yet: more may have been typed when one does. */
  const [reported, setReported] = useState<readonly string[]>([]);
  if (known !== value) {
    setKnown(value);
    const at = reported.indexOf(value);
    setReported(at < 0 ? [] : reported.slice(at + 1));
    if (at < 0 && value !== typed.trim()) setTyped(value);
  }
  const latest = useLatest({ value, onChange });
  useEffect(() => {
    if (typed.trim() === latest.current.value) return undefined;
    const report = (): void => {
      setReported((before) => [...before, typed.trim()]);
      latest.current.onChange(typed.trim());
    };
    const timer = setTimeout(report, waitMs);
    return () => clearTimeout(timer);
  }, [typed, latest]);
  return [typed, setTyped];
}

/** Search field, stored in the address. */
export function SearchBox({ label, name = "search" }: { label: string; name?: string }) {
  const { search, set } = useSearchParams();
  const [typed, setTyped] = useTypedText(oneOf(search[name]) ?? "", (text) =>
    set({ [name]: text || undefined, page: undefined }, "replace"),
  );
  return (
    <TextField
      label={label}
      isLabelHidden
      type="search"
      placeholder={label}
      value={typed}
      onChange={setTyped}
      maxLength={100}
    />
  );
}
