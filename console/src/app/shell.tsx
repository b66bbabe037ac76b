import { Outlet, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useRef, useState } from "react";
import { HubClock } from "../live/hub-clock.tsx";
import { useConnection } from "../live/connection.ts";
import { useMe } from "../live/me.ts";
import { usePendingStepUp } from "../live/step-up.ts";
import { useAppearance, usePreferences } from "../live/preferences.ts";
import { cx } from "../ui/class-names.ts";
import { SingleKeys, useHotkeys } from "../ui/hotkeys.ts";
import { PanelContainer } from "../ui/dialog.tsx";
import { TitleFrame } from "../ui/page-title.ts";
import { text } from "./app.text.ts";
import { Header } from "./header.tsx";
import { OutboundBar } from "./outbound-bar.tsx";
import { paths } from "./paths.ts";
import { PreviewBar } from "./preview-bar.tsx";
import { Rail } from "./rail.tsx";
import { loadPart } from "../ui/load-part.ts";

// Not needed for the first paint.
const Dock = lazy(loadPart(async () => ({ default: (await import("./dock.tsx")).Dock })));
const KeySheet = lazy(loadPart(async () => ({ default: (await import("./key-sheet.tsx")).KeySheet })));
const StepUpDialog = lazy(
  loadPart(async () => ({ default: (await import("../live/step-up-dialog.tsx")).StepUpDialog })),
);
const PreviewClock = lazy(loadPart(async () => ({ default: (await import("./preview-tools.tsx")).PreviewClock })));
const PreviewReset = lazy(loadPart(async () => ({ default: (await import("./preview-tools.tsx")).PreviewReset })));
const Palette = lazy(loadPart(async () => ({ default: (await import("./palette.tsx")).Palette })));

export function Shell() {
  const { preferences } = usePreferences();
  useAppearance();
  return (
    <SingleKeys value={preferences.singleKeys}>
      <HubClock>
        <Frame />
      </HubClock>
    </SingleKeys>
  );
}

const liveTitle = (title: string): string => `${title} · ${text.brand}`;
const previewTitle = (title: string): string => `${text.preview.word} ${liveTitle(title)}`;

export type Overlay = "palette" | "keys" | "rail" | "clock" | "reset" | undefined;

function Frame() {
  const me = useMe();
  const isPreview = me.environment === "preview";
  const { preferences, set } = usePreferences();
  const [overlay, setOverlay] = useState<Overlay>();
  const close = (): void => setOverlay(undefined);
  const connection = useConnection();
  const pendingStepUp = usePendingStepUp();
  useGoKeys(setOverlay, () => set({ isDockOpen: !preferences.isDockOpen }));
  const panels = useRef<HTMLDivElement>(null);
  const showKeys = (): void => setOverlay("keys");
  return (
    <div className={cx("flex h-dvh flex-col", isPreview && "border-x-4 border-b-4 border-[#f5b301]")}>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-panel px-3 py-1 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      {isPreview && <PreviewBar onClock={() => setOverlay("clock")} onReset={() => setOverlay("reset")} />}
      <OutboundBar />
      {connection === "away" && (
        <div role="status" className="bg-warn-soft px-4 py-1 text-center text-sm font-medium text-warn">
          {text.away}
        </div>
      )}
      <div className="relative flex min-h-0 flex-1">
        <div className="w-52 shrink-0 border-e border-line bg-panel max-wide:w-14 max-narrow:hidden">
          <Rail onHelp={showKeys} />
        </div>
        {overlay === "rail" && <Drawer onClose={close} onHelp={showKeys} />}
        <div className="flex min-w-0 flex-1 flex-col">
          <Header
            isMenuOpen={overlay === "rail"}
            onMenu={() => setOverlay(overlay === "rail" ? undefined : "rail")}
            onSearch={() => setOverlay("palette")}
            onKeys={showKeys}
          />
          <div ref={panels} className="relative flex min-h-0 flex-1 flex-col">
            {/* Scrolls when it is taller than the screen; its children must not shrink instead. */}
            <main
              id="main"
              tabIndex={-1}
              // Relative, so that absolutely positioned children (the input behind a checkbox) scroll with it and not with the document.
              className="page relative flex min-h-0 flex-1 flex-col overflow-y-auto pb-4 outline-none *:shrink-0"
            >
              <TitleFrame value={isPreview ? previewTitle : liveTitle}>
                <PanelContainer value={panels}>
                  <Outlet />
                </PanelContainer>
              </TitleFrame>
            </main>
          </div>
          <Suspense>{preferences.isDockOpen && <Dock onClose={() => set({ isDockOpen: false })} />}</Suspense>
        </div>
      </div>
      <Suspense>
        {overlay === "palette" && <Palette onClose={close} show={setOverlay} />}
        {overlay === "keys" && <KeySheet onClose={close} />}
        {overlay === "clock" && <PreviewClock onClose={close} />}
        {overlay === "reset" && <PreviewReset onClose={close} />}
        {pendingStepUp && <StepUpDialog method={pendingStepUp} />}
      </Suspense>
    </div>
  );
}

/** The menu on small screens: over the page, closed by a click beside it. */
function Drawer({ onClose, onHelp }: { onClose(): void; onHelp(): void }) {
  useHotkeys([{ keys: "Escape", name: "Close the menu", run: onClose }]);
  return (
    <div className="absolute inset-0 z-40 flex narrow:hidden">
      <div className="w-60 border-e border-line bg-panel shadow-pop">
        <Rail isDrawer onPick={onClose} onHelp={onHelp} />
      </div>
      <button type="button" aria-label="Close the menu" onClick={onClose} className="flex-1 bg-[#0a0c10]/40" />
    </div>
  );
}

function useGoKeys(show: (overlay: Overlay) => void, toggleDock: () => void): void {
  const router = useRouter();
  const go = (href: string) => () => router.history.push(href);
  useHotkeys([
    { keys: "$mod+k", name: "Search or run a command", run: () => show("palette") },
    { keys: "Shift+?", name: "Keyboard shortcuts", run: () => show("keys") },
    { keys: "$mod+`", name: "Open or close the developer panel", run: toggleDock },
    { keys: "g h", name: "Go to Overview", run: go(paths.overview()) },
    { keys: "g o", name: "Go to Orders", run: go(paths.orders()) },
    { keys: "g e", name: "Go to Exceptions", run: go(paths.exceptions()) },
    { keys: "g r", name: "Go to Runs", run: go(paths.operations()) },
    { keys: "g s", name: "Go to Shipments", run: go(paths.shipments()) },
    { keys: "g u", name: "Go to Pickups", run: go(paths.pickups()) },
    { keys: "g p", name: "Go to Presets", run: go(paths.presets()) },
    { keys: "g t", name: "Go to Tasks", run: go(paths.tasks()) },
  ]);
}
