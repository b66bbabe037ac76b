import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { HubClock } from "../live/hub-clock.tsx";
import { useConnection } from "../live/connection.ts";
import { useMe } from "../live/me.ts";
import { useAppearance } from "../live/preferences.ts";
import { usePendingStepUp } from "../live/step-up.ts";
import { cx } from "../ui/class-names.ts";
import { TitleFrame } from "../ui/page-title.ts";
import { text } from "./app.text.ts";
import { OutboundBar } from "./outbound-bar.tsx";
import { PreviewBar } from "./preview-bar.tsx";
import { loadPart } from "../ui/load-part.ts";

const StepUpDialog = lazy(
  loadPart(async () => ({ default: (await import("../live/step-up-dialog.tsx")).StepUpDialog })),
);

const liveTitle = (title: string): string => `${title} · ${text.brand}`;
const previewTitle = (title: string): string => `${text.preview.word} ${liveTitle(title)}`;

/** Frame of pages that fill the screen, without menu and hotkeys: all keys belong to the page. */
export function FullScreen() {
  useAppearance();
  return (
    <HubClock>
      <Frame />
    </HubClock>
  );
}

function Frame() {
  const isPreview = useMe().environment === "preview";
  const connection = useConnection();
  const pendingStepUp = usePendingStepUp();
  return (
    <div className={cx("flex h-dvh flex-col", isPreview && "border-x-4 border-b-4 border-[#f5b301]")}>
      {isPreview && <PreviewBar />}
      <OutboundBar />
      {connection === "away" && (
        <div role="status" className="bg-warn-soft px-4 py-1 text-center text-sm font-medium text-warn">
          {text.away}
        </div>
      )}
      <main id="main" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
        <TitleFrame value={isPreview ? previewTitle : liveTitle}>
          <Outlet />
        </TitleFrame>
      </main>
      <Suspense>{pendingStepUp && <StepUpDialog method={pendingStepUp} />}</Suspense>
    </div>
  );
}
