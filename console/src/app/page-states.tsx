import { HubApiError } from "@order-operations-hub/sdk/problem";
import { Empty, Heading } from "../ui/card.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Link } from "../ui/link.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { ProblemBox } from "../ui/problem-box.tsx";
import { text } from "./app.text.ts";
import { paths } from "./paths.ts";

export function NotFound() {
  return (
    <>
      <PageHead title={text.notFound} />
      <Empty text={text.notFoundWhy}>
        <Link href={paths.overview()} className={buttonClass("plain")}>
          {text.toOverview}
        </Link>
      </Empty>
    </>
  );
}

/** Error state of a whole page. A 403 names the missing scope, a 404 what was not found. */
export function PageProblem({ error, reset }: { error: unknown; reset?: () => void }) {
  const isRefused = error instanceof HubApiError && error.status === 403;
  const isGone = error instanceof HubApiError && error.status === 404;
  const title = isRefused ? "Not allowed" : isGone ? "Not found" : "This page could not be loaded";
  usePageTitle(title);
  return (
    <div className="max-w-2xl">
      <Heading level={1} title={title} />
      <ProblemBox error={error} {...(reset && !isRefused && !isGone ? { onRetry: reset } : {})} />
      <div className="mt-3">
        <Button kind="quiet" onClick={() => history.back()}>
          Back
        </Button>
      </div>
    </div>
  );
}
