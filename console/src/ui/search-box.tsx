import { useEffect, useState } from "react";
import { oneOf, useSearchParams } from "./search-params.ts";
import { TextField } from "./text-field.tsx";
import { useLatest } from "./use-latest.ts";

const waitMs = 250;

/** A text to look for; it lives in the address, a moment after the last key. */
export function SearchBox({
  label,
  name = "search",
  pageName = "page",
}: {
  label: string;
  name?: string;
  pageName?: string;
}) {
  const { search, set } = useSearchParams();
  const said = oneOf(search[name]) ?? "";
  const [typed, setTyped] = useState(said);
  const [known, setKnown] = useState(said);
  // The address has changed by other means: a link, or the way back.
  if (known !== said) {
    setKnown(said);
    if (said !== typed.trim()) setTyped(said);
  }
  const latest = useLatest({ set, said });
  useEffect(() => {
    if (typed.trim() === latest.current.said) return undefined;
    const timer = setTimeout(
      () => latest.current.set({ [name]: typed.trim() || undefined, [pageName]: undefined }, "replace"),
      waitMs,
    );
    return () => clearTimeout(timer);
  }, [typed, name, pageName, latest]);
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
