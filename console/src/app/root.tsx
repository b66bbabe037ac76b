import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useConnection } from "../live/connection.ts";
import { meQuery } from "../live/me.ts";
import { ProblemBox } from "../ui/problem-box.tsx";
import { Skeleton } from "../ui/card.tsx";
import { text } from "./app.text.ts";
import { paths } from "./paths.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";

/** The OIDC callback is the only page that needs no session. */
export function Root() {
  const isCallback = useLocation({ select: ({ pathname }) => pathname === paths.signInCallback() });
  return isCallback ? <Outlet /> : <Pages />;
}

/** Without a session every address shows the sign-in page. When a session expires later, the page stays below it and keeps its state. */
function Pages() {
  const me = useQuery({ ...meQuery, retry: (failures, error) => !(error instanceof HubApiError) && failures < 1000 });
  const connection = useConnection();
  if (me.error instanceof HubApiError && me.error.status === 401) return <SignIn />;
  if (me.data && connection === "signed-out") return <SignIn note={text.signedOut} />;
  if (me.data) return <Shell />;
  if (me.error) {
    return (
      <main className="mx-auto max-w-xl p-6">
        <ProblemBox error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return (
    <div className="lg:ps-[196px]">
      <Skeleton />
    </div>
  );
}
