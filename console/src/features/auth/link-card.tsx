import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Brand, productName } from "../../ui/brand.tsx";
import { usePageTitle } from "../../ui/page-title.ts";

/** Frame of the pages that need no session. */
export function LinkCard({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(`${title} · ${productName}`);
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="flex w-full max-w-[380px] flex-col gap-4 rounded-xl border border-line bg-panel p-6 shadow-pop">
        <Brand />
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** The token is in the fragment of the address, which browsers send to no server. A link pasted into the same tab replaces it. */
export const useLinkToken = (): string => useLocation({ select: ({ hash }) => hash });
