import { createContext, use, useEffect } from "react";
import { createKeybindingsHandler } from "tinykeys";
import { useLatest } from "./use-latest.ts";

export type Hotkey = { keys: string; name: string; group?: string; run(event: KeyboardEvent): void };

/** Everything that listens now; the sheet of keys shows it. */
const active = new Map<symbol, readonly Hotkey[]>();
const listeners = new Set<() => void>();

export function subscribeToHotkeys(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
let snapshot: readonly Hotkey[] = [];
export const currentHotkeys = (): readonly Hotkey[] => snapshot;

function announce(): void {
  snapshot = [...active.values()].flat();
  for (const listener of listeners) listener();
}

/** Single keys can be switched off: whoever dictates, or rests a hand on the keyboard, would set them off (WCAG 2.1.4). */
export const SingleKeys = createContext(true);

const isSingle = (keys: string): boolean => !/\$mod|Control|Alt|Meta/.test(keys);

/** Fields that take letters: of a list to choose from, letters go to the entry that begins with them. */
const typedInto = "input:not([type=checkbox]), textarea, select, [role=combobox], [contenteditable=true], .cm-editor";
/** Selecting, copying and the like belong to the text that is being typed. */
const editingKeys = /^\$mod\+[acvxyz]$/i;

const layers = "[role=dialog][aria-modal=true], [role=menu], [role=listbox]";

/** In a field only keys with a modifier act on the page, and none that edits text; a dialog keeps its keys to itself. */
function isTaken(event: KeyboardEvent, keys: string): boolean {
  const target = event.target as HTMLElement | null;
  const isTyping = target?.closest(typedInto);
  if (isTyping && (isSingle(keys) || editingKeys.test(keys)) && keys !== "Escape") return true;
  // A list to choose from stays in the document, out of sight, while its field has focus.
  const open = [...document.querySelectorAll(layers)].filter((layer) => layer.checkVisibility());
  return open.length > 0 && keys !== "$mod+k" && !open.some((layer) => layer.contains(target));
}

export function useHotkeys(hotkeys: readonly Hotkey[]): void {
  const latest = useLatest(hotkeys);
  const mayUseSingle = use(SingleKeys);
  const signature = hotkeys.map(({ keys, name }) => `${keys} ${name}`).join("|");
  useEffect(() => {
    const id = Symbol("hotkeys");
    const used = latest.current.filter(({ keys }) => mayUseSingle || !isSingle(keys));
    active.set(id, used);
    announce();
    const handler = createKeybindingsHandler(
      Object.fromEntries(
        used.map(({ keys }) => [
          keys,
          (event: KeyboardEvent) => {
            if (event.defaultPrevented || isTaken(event, keys)) return;
            const found = latest.current.find((hotkey) => hotkey.keys === keys);
            if (!found) return;
            event.preventDefault();
            found.run(event);
          },
        ]),
      ),
      // Which keys are taken is decided above: those with a modifier work while one types.
      { ignore: () => false },
    );
    window.addEventListener("keydown", handler);
    return () => {
      window.removeEventListener("keydown", handler);
      active.delete(id);
      announce();
    };
    // What the keys do is read when they are pressed; only which keys there are begins it anew.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [signature, mayUseSingle]);
}
