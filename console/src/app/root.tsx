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

/** The address that the identity provider leads to is there for those who are not signed in yet. */
export function Root() {
  const isCallback = useLocation({ select: ({ pathname }) => pathname === paths.signInCallback() });
  return isCallback ? <Outlet /> : <Pages />;
}

/** Nobody signed in: the sign-in page, at whatever address. A session that ends later asks again, and keeps the page below. */
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
