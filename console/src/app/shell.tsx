import { Outlet, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useRef, useState } from "react";
import { HubClock } from "../live/hub-clock.tsx";
import { useConnection } from "../live/connection.ts";
import { useMe } from "../live/me.ts";
import { usePendingStepUp } from "../live/step-up.ts";
import { useAppearance, usePreferences } from "../live/preferences.ts";
import { cx } from "../ui/class-names.ts";
import { SingleKeys, useHotkeys } from "../ui/hotkeys.ts";
import { IconButton } from "../ui/button.tsx";
import { PanelContainer } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { HeaderEnd } from "../ui/page-head.tsx";
import { TitleFrame } from "../ui/page-title.ts";
import { text } from "./app.text.ts";
import { HeaderTools } from "./header-tools.tsx";
import { OutboundBar } from "./outbound-bar.tsx";
import { paths } from "./paths.ts";
import { PreviewBar } from "./preview-bar.tsx";
import { Rail } from "./rail.tsx";
import { Brand } from "./brand.tsx";

// Not needed for the first paint.
const Dock = lazy(async () => ({ default: (await import("./dock.tsx")).Dock }));
const KeySheet = lazy(async () => ({ default: (await import("./key-sheet.tsx")).KeySheet }));
const StepUpDialog = lazy(async () => ({ default: (await import("../live/step-up-dialog.tsx")).StepUpDialog }));
const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

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

type Overlay = "palette" | "keys" | "rail" | undefined;

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
  const tools = <HeaderTools onSearch={() => setOverlay("palette")} onKeys={() => setOverlay("keys")} />;
  return (
    <div className={cx("flex h-dvh flex-col", isPreview && "border-x-4 border-b-4 border-[#f5b301]")}>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-panel px-3 py-1 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      {isPreview && <PreviewBar />}
      <OutboundBar />
      {connection === "away" && (
        <div role="status" className="bg-warn-soft px-4 py-1 text-center text-sm font-medium text-warn">
          {text.away}
        </div>
      )}
      <div ref={panels} className="relative flex min-h-0 flex-1">
        <div className="w-[196px] shrink-0 overflow-y-auto border-e border-line bg-panel max-lg:hidden">
          <Rail />
        </div>
        <div className="flex min-w-0 flex-1 flex-col">
          <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line bg-panel px-3 lg:hidden">
            <IconButton
              label="Menu"
              onClick={() => setOverlay(overlay === "rail" ? undefined : "rail")}
              aria-expanded={overlay === "rail"}
            >
              <Icon name="menu" />
            </IconButton>
            <span className="flex-1">
              <Brand />
            </span>
            {tools}
          </header>
          {overlay === "rail" && (
            <div className="border-b border-line bg-panel lg:hidden">
              <Rail onPick={close} />
            </div>
          )}
          {/* Scrolls when it is taller than the screen; its children must not shrink instead. */}
          <main
            id="main"
            tabIndex={-1}
            // Relative, so that absolutely positioned children (the input behind a checkbox) scroll with it and not with the document.
            className="relative flex min-h-0 flex-1 flex-col overflow-y-auto px-3 pb-4 outline-none *:shrink-0 lg:px-4.5"
          >
            <HeaderEnd value={tools}>
              <TitleFrame value={isPreview ? previewTitle : liveTitle}>
                <PanelContainer value={panels}>
                  <Outlet />
                </PanelContainer>
              </TitleFrame>
            </HeaderEnd>
          </main>
          <Suspense>{preferences.isDockOpen && <Dock onClose={() => set({ isDockOpen: false })} />}</Suspense>
        </div>
      </div>
      <Suspense>
        {overlay === "palette" && <Palette onClose={close} />}
        {overlay === "keys" && <KeySheet onClose={close} />}
        {pendingStepUp && <StepUpDialog method={pendingStepUp} />}
      </Suspense>
    </div>
  );
}

function useGoKeys(show: (overlay: Overlay) => void, toggleDock: () => void): void {
  const router = useRouter();
  const go = (href: string) => () => router.history.push(href);
  useHotkeys([
    { keys: "$mod+k", name: "Search or act", run: () => show("palette") },
    { keys: "Shift+?", name: "All keys", run: () => show("keys") },
    { keys: "$mod+`", name: "Open or close the dock", run: toggleDock },
    { keys: "g h", name: "Go to the overview", run: go(paths.overview()) },
    { keys: "g o", name: "Go to orders", run: go(paths.orders()) },
    { keys: "g r", name: "Go to operations", run: go(paths.operations()) },
    { keys: "g s", name: "Go to shipments", run: go(paths.shipments()) },
    { keys: "g u", name: "Go to pickups", run: go(paths.pickups()) },
    { keys: "g p", name: "Go to presets", run: go(paths.presets()) },
    { keys: "g t", name: "Go to tasks", run: go(paths.tasks()) },
  ]);
}
