import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useConnection } from "../live/connection.ts";
import { meQuery } from "../live/me.ts";
import { ProblemBox } from "../ui/problem-box.tsx";
import { Skeleton } from "../ui/card.tsx";
import { paths } from "./paths.ts";
import { Shell } from "./shell.tsx";
import { loadPart } from "../ui/load-part.ts";

// Most visits have a session.
const SignIn = lazy(loadPart(async () => ({ default: (await import("./sign-in.tsx")).SignIn })));
const SignInAgain = lazy(loadPart(async () => ({ default: (await import("./sign-in.tsx")).SignInAgain })));

const FullScreen = lazy(loadPart(async () => ({ default: (await import("./full-screen.tsx")).FullScreen })));

/** Pages that need no session. */
const open: readonly string[] = [paths.signInCallback(), paths.invitation(), paths.resetPassword()];

export function Root() {
  const isOpen = useLocation({ select: ({ pathname }) => open.includes(pathname) });
  return isOpen ? <Outlet /> : <Pages />;
}

/** Without a session every address shows the sign-in page. When a session ends later, the page keeps its state under the sign-in. */
function Pages() {
  const me = useQuery({ ...meQuery, retry: (failures, error) => !(error instanceof HubApiError) && failures < 1000 });
  const connection = useConnection();
  const isFullScreen = useLocation({ select: ({ pathname }) => pathname === paths.pack() });
  if (me.data) {
    return (
      <>
        {isFullScreen ? (
          <Suspense>
            <FullScreen />
          </Suspense>
        ) : (
          <Shell />
        )}
        <Suspense>{connection === "signed-out" && <SignInAgain me={me.data} />}</Suspense>
      </>
    );
  }
  if (me.error instanceof HubApiError && me.error.status === 401) {
    return (
      <Suspense>
        <SignIn />
      </Suspense>
    );
  }
  if (me.error) {
    return (
      <main className="mx-auto max-w-xl p-6">
        <ProblemBox error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return (
    <div className="narrow:ps-14 wide:ps-52">
      <Skeleton />
    </div>
  );
}
