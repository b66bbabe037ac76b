import { useSyncExternalStore } from "react";
import { Button, buttonClass } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { currentHotkeys, subscribeToHotkeys } from "../ui/hotkeys.ts";
import { keysOf } from "../ui/kbd.tsx";

/** Keyboard shortcuts that are active now, read from the registered hotkeys. */
export function KeySheet({ onClose }: { onClose(): void }) {
  const hotkeys = useSyncExternalStore(subscribeToHotkeys, currentHotkeys);
  return (
    <Dialog
      title="Keyboard shortcuts"
      isOpen
      onClose={onClose}
      isWide
      footer={
        <>
          <a href="/docs" className={buttonClass("quiet")}>
            Documentation
          </a>
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <dl className="grid gap-x-8 gap-y-0.5 sm:grid-cols-2">
        {hotkeys.map(({ keys, name }) => (
          <div key={keys + name} className="flex min-h-7 items-center justify-between gap-3 border-b border-line">
            <dt>{name}</dt>
            <dd>
              <kbd className="rounded-sm border border-line-strong bg-bg px-1.5 py-0.5 font-mono text-sm">
                {keysOf(keys)}
              </kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
