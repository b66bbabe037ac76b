import { useBlocker } from "@tanstack/react-router";
import { Confirm } from "./confirm.tsx";

type Place = { pathname: string; search: unknown };

/** The record that an address shows: a page, or the panel that lies over a list. */
const recordAt = ({ pathname, search }: Place): string =>
  `${pathname} ${String((search as { open?: unknown } | undefined)?.open)}`;

/** While something typed is not saved, asks before another record is shown or the page is closed. */
export function LeaveGuard({ isDirty, what = "Your changes" }: { isDirty: boolean; what?: string }) {
  const blocked = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && recordAt(current) !== recordAt(next),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (blocked.status !== "blocked") return null;
  return (
    <Confirm
      title="Leave without saving?"
      yes="Discard changes"
      no="Keep editing"
      run={async () => blocked.proceed()}
      onClose={blocked.reset}
    >
      <p>
        {what} on this page {what.endsWith("s") ? "are" : "is"} not saved.
      </p>
    </Confirm>
  );
}
