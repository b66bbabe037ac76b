import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "./app/routes.tsx";
import { queryClient } from "./live/hub.ts";
import { meQuery } from "./live/me.ts";
import { applyAppearance, initialPreferences } from "./live/preferences.ts";
import "./styles.css";
import { nonce } from "./ui/nonce.ts";
import { Toasts } from "./ui/toast.tsx";
import { TooltipProvider } from "./ui/tooltip.tsx";

applyAppearance(initialPreferences());
// Every page needs the user: fetch it in parallel with the code.
void queryClient.prefetchQuery(meQuery);
createRoot(document.querySelector("#root")!).render(
  <StrictMode>
    <CSPProvider nonce={nonce}>
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <RouterProvider router={router} />
          <Toasts />
        </TooltipProvider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
