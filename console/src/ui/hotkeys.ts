import { createContext, use, useLayoutEffect } from "react";
import { createKeybindingsHandler } from "tinykeys";
import { useLatest } from "./use-latest.ts";

/** `run` returns false for a key that is not its own, such as that of another form on the page. */
export type Hotkey = { keys: string; name: string; group?: string; run(event: KeyboardEvent): unknown };

/** Active hotkeys, shown by the key sheet. */
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

/** Single-key shortcuts can be turned off: speech input triggers them by accident (WCAG 2.1.4). */
export const SingleKeys = createContext(true);

const isSingle = (keys: string): boolean => !/\$mod|Control|Alt|Meta/.test(keys);

/** Elements that consume letters, including listboxes with type-ahead. */
const typedInto = "input:not([type=checkbox]), textarea, select, [role=combobox], [contenteditable=true], .cm-editor";
/** Editing shortcuts belong to the text field. */
const editingKeys = /^\$mod\+[acvxyz]$/i;

const layers = "[role=dialog][aria-modal=true], [role=menu], [role=listbox]";

/** In a field only non-editing shortcuts with a modifier reach the page; an open dialog keeps all keys. */
function isTaken(event: KeyboardEvent, keys: string): boolean {
  const target = event.target as HTMLElement | null;
  const isTyping = target?.closest(typedInto);
  if (isTyping && (isSingle(keys) || editingKeys.test(keys)) && keys !== "Escape") return true;
  // A closed listbox stays in the document, hidden, while its field has focus.
  const open = [...document.querySelectorAll(layers)].filter((layer) => layer.checkVisibility());
  return open.length > 0 && keys !== "$mod+k" && !open.some((layer) => layer.contains(target));
}

export function useHotkeys(hotkeys: readonly Hotkey[]): void {
  const latest = useLatest(hotkeys);
  const mayUseSingle = use(SingleKeys);
  const signature = hotkeys.map(({ keys, name }) => `${keys} ${name}`).join("|");
  // Before the first paint: a key works as soon as what it acts on is shown.
  useLayoutEffect(() => {
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
            if (found && found.run(event) !== false) event.preventDefault();
          },
        ]),
      ),
      // `isTaken` decides: shortcuts with a modifier also work while typing.
      { ignore: () => false },
    );
    window.addEventListener("keydown", handler);
    return () => {
      window.removeEventListener("keydown", handler);
      active.delete(id);
      announce();
    };
    // Handlers are read when a key is pressed; only a change of the keys registers again.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [signature, mayUseSingle]);
}
