import { useRouter } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";
import { cx } from "./class-names.ts";

/** Client-side link; with a modifier key the browser handles it. */
export function Link({ href, onClick, children, ...rest }: ComponentProps<"a"> & { href: string }) {
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isOrdinary = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isOrdinary || rest.target) return;
    event.preventDefault();
    router.history.push(href);
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}

/** Link to a record: large enough for touch, truncated in narrow cells. */
export function RecordLink({ className, ...rest }: ComponentProps<typeof Link>) {
  return (
    <Link
      {...rest}
      className={cx(
        "inline-block max-w-full truncate align-middle leading-6 text-accent-text hover:underline",
        className,
      )}
    />
  );
}
