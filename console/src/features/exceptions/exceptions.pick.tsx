import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Icon } from "../../ui/icons.tsx";
import { plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { openExceptionsQuery } from "./exception-count.queries.ts";

/** Links to the open exceptions of a record; renders nothing when there are none. */
export function ExceptionsLine({ about }: { about: { orderId: string } | { executionId: string } }) {
  const { data: open } = useQuery(openExceptionsQuery(about));
  if (!open) return null;
  return (
    <p className="mb-2 flex flex-wrap items-center gap-x-2 rounded-lg border border-warn bg-warn-soft px-3 py-1.5 text-warn">
      <Icon name="alert" />
      <span>{plural(open, "open exception")}.</span>
      <Link href={paths.exceptions(about)} className="inline-flex min-h-6 items-center font-medium underline">
        View {open === 1 ? "exception" : "exceptions"}
      </Link>
    </p>
  );
}
