import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { setConnection } from "../../live/connection.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Skeleton } from "../../ui/card.tsx";
import { sentence } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SubmitForm } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { LinkCard, useLinkToken } from "./link-card.tsx";
import { NewPassword, passwordRule } from "./new-password.pick.tsx";

const title = "Join your team";

/** Opened through the link of an invitation: the person chooses a name and a password. */
export function InvitationPage() {
  const token = useLinkToken();
  const { data, error } = useQuery({
    queryKey: ["auth", "invitation", token],
    queryFn: () => hub.call("POST /api/v1/auth/invitation/check", { body: { token: token || "none" } }),
    retry: false,
    refetchOnWindowFocus: false,
  });
  return (
    <LinkCard title={title}>
      {!data && !error && <Skeleton rows={3} />}
      {error && (
        <>
          <ProblemBox error={error} />
          <Link href={paths.overview()} className="text-accent-text underline underline-offset-2">
            Go to sign-in
          </Link>
        </>
      )}
      {data && (
        <>
          <p>
            You are invited to <strong className="font-semibold">{data.organization}</strong> as{" "}
            {sentence(data.role).toLowerCase()}. You sign in with {data.email}.
          </p>
          <AcceptForm key={token} token={token} name={data.name ?? ""} />
        </>
      )}
    </LinkCard>
  );
}

function AcceptForm({ token, name: given }: { token: string; name: string }) {
  const router = useRouter();
  const form = useCreateForm({
    start: { name: given, password: "" },
    create: ({ name, password }) =>
      hub.call("POST /api/v1/auth/invitation/accept", { body: { token, name: name.trim(), password } }),
    onCreated: () => {
      setConnection("there");
      // Of another user who was signed in here. The check of the link stays: it would fail now.
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "auth" });
      router.history.replace(paths.overview());
    },
  });
  const { name, password } = form.draft;
  return (
    <SubmitForm
      form={form}
      submit="Create account"
      reason={name.trim() === "" ? "Enter your name." : passwordRule(password)}
    >
      <TextField label="Your name" {...form.field("name")} autoComplete="name" maxLength={100} />
      <NewPassword label="Password" {...form.field("password")} />
    </SubmitForm>
  );
}
