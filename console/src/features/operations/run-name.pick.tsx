import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Link } from "../../ui/link.tsx";
import { namedChange } from "./named-values.ts";
import { runQuery, useActionTitles } from "./operations.queries.ts";
import { useRecordNames } from "./record-names.ts";
import { runTitle } from "./run-words.pick.ts";

/** Changes with the names of locations, accounts, users and connections instead of their IDs. */
export function useNamedChanges(): <Changed extends Parameters<typeof namedChange>[0]>(change: Changed) => Changed {
  const nameOf = useRecordNames();
  return (change) => ({ ...change, ...namedChange(change, nameOf) });
}

/** A link to a run by its name. */
export function RunLink({ id }: { id: string }) {
  const isHidden = missingScope(useMe(), "operations:read") !== undefined;
  // The name of a run stays as it is.
  const { data: run } = useQuery({ ...runQuery(id), enabled: !isHidden, staleTime: Number.POSITIVE_INFINITY });
  const titleOf = useActionTitles();
  const steps = run?.actions.map((action) => titleOf(action["type"])).join(", ") ?? "";
  return (
    <Link href={paths.run(id)} className="text-accent-text underline underline-offset-2">
      {run ? runTitle(run, steps) : "a run"}
    </Link>
  );
}
