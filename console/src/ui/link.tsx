import { useRouter } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";
import { cx } from "./class-names.ts";

/** A real address, opened without loading the page anew; with a modifier key the browser does what it always does. */
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

/** To a record from where it is named: high enough for a finger, and cut with an ellipsis where its place is narrow. */
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
