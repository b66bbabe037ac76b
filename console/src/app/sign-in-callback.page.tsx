import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { setConnection } from "../live/connection.ts";
import { hub, queryClient } from "../live/hub.ts";
import { Card, Skeleton } from "../ui/card.tsx";
import { Link } from "../ui/link.tsx";
import { ProblemBox } from "../ui/problem-box.tsx";
import { text } from "./app.text.ts";
import { Brand } from "../ui/brand.tsx";
import { paths } from "./paths.ts";

/** OIDC callback: sends the code from the address to the hub, which starts the session. */
export function SignInCallbackPage() {
  const router = useRouter();
  const isAsked = useRef(false);
  const { mutate, error } = useMutation({
    mutationFn: () => hub.call("POST /api/v1/auth/oidc/session", { body: readAnswer(window.location.search) }),
    onSuccess: async ({ returnTo }) => {
      setConnection("there");
      await queryClient.resetQueries();
      // Through the history, which cannot leave this origin.
      router.history.replace(returnTo);
    },
  });
  useEffect(() => {
    // The code in the address can be used once.
    if (isAsked.current) return;
    isAsked.current = true;
    mutate();
  }, [mutate]);
  if (!error) return <Skeleton />;
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <Card label={text.signIn.failed} className="flex w-full max-w-[440px] flex-col gap-4 p-6">
        <Brand />
        <h1 className="text-xl font-semibold tracking-tight">{text.signIn.failed}</h1>
        <ProblemBox error={error} />
        <Link href={paths.overview()} className="text-accent-text underline underline-offset-2">
          {text.signIn.begin}
        </Link>
      </Card>
    </main>
  );
}

function readAnswer(search: string) {
  const params = new URLSearchParams(search);
  const fields = {
    code: params.get("code"),
    iss: params.get("iss"),
    error: params.get("error"),
    errorDescription: params.get("error_description")?.slice(0, 500),
  };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
  return { ...given, state: params.get("state") ?? "none" };
}
