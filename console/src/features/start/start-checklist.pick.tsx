import { useQuery } from "@tanstack/react-query";
import { useMe } from "../../live/me.ts";
import { useOtherEnvironment } from "../../live/other-environment.ts";
import { usePreferences } from "../../live/preferences.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { startCountsQuery } from "./start.queries.ts";
import type { StartStep } from "./start-steps.ts";
import { stepsOf } from "./start-steps.ts";

/** Setup of a new hub, on its overview until everything is done or it is hidden. Not in the preview, which has demo data. */
export function StartChecklist() {
  const me = useMe();
  const { preferences, set } = usePreferences();
  const isWanted = me.environment === "live" && !preferences.isStartHidden;
  const { data } = useQuery({ ...startCountsQuery(me), enabled: isWanted });
  const steps = data ? stepsOf(data, me) : [];
  const done = steps.filter(({ isDone }) => isDone).length;
  if (!isWanted || steps.length === 0 || done === steps.length) return null;
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <section aria-label="Set up your hub" className="mb-5">
      <div className="mb-2.5 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-lg font-semibold tracking-tight">Set up your hub</h2>
        <span className="text-muted">Do the steps in any order.</span>
        <span className="flex-1" />
        <progress
          aria-label="Setup"
          max={steps.length}
          value={done}
          className="h-1.5 w-32 appearance-none overflow-hidden rounded-full bg-skip-soft [&::-moz-progress-bar]:bg-ok [&::-webkit-progress-bar]:bg-skip-soft [&::-webkit-progress-value]:bg-ok"
        />
        <span className="text-muted">
          {done} of {steps.length} done
        </span>
        <Button kind="quiet" onClick={() => set({ isStartHidden: true })}>
          Hide
        </Button>
      </div>
      <div className="grid items-start gap-3.5 xl:grid-cols-[minmax(0,1fr)_320px]">
        <Card>
          <ol>
            {steps.map((step, at) => (
              <Step key={step.title} step={step} number={at + 1} isNext={at === next} />
            ))}
          </ol>
        </Card>
        <DemoCard />
      </div>
    </section>
  );
}

function Step({ step, number, isNext }: { step: StartStep; number: number; isNext: boolean }) {
  const { title, about, isDone, action, icon, href } = step;
  return (
    <li className={cx("flex gap-3.5 border-b border-line px-4 py-3.5 last:border-b-0", isNext && "bg-accent-soft/40")}>
      <span
        className={cx(
          "grid size-6 shrink-0 place-items-center rounded-full border text-sm font-medium tabular-nums",
          isDone
            ? "border-ok-soft bg-ok-soft text-ok"
            : isNext
              ? "border-accent text-accent-text"
              : "border-line-strong",
        )}
      >
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div className="min-w-0 flex-1">
        <p className={cx("font-semibold", isDone && "font-medium text-muted")}>
          {title}
          {isDone && <span className="sr-only">, done</span>}
        </p>
        <p className="text-muted">{about}</p>
        {isNext && (
          <Link href={href} className={buttonClass("primary", "mt-2")}>
            <Icon name={icon} /> {action}
          </Link>
        )}
      </div>
      {!isNext && (
        <Link
          href={href}
          className={buttonClass(isDone ? "quiet" : "plain")}
          aria-label={isDone ? `Open: ${title}` : action}
        >
          {isDone ? "Open" : action}
        </Link>
      )}
    </li>
  );
}

const sample = [
  ["info", "Ready"],
  ["warn", "Hold: stock"],
  ["ok", "Shipped"],
] as const;

/** Shown where the address of the preview is known. */
function DemoCard() {
  const other = useOtherEnvironment();
  if (!other) return null;
  return (
    <Card label="Try it with demo data">
      <div aria-hidden className="stripes h-1.5" />
      <div className="flex flex-col items-start gap-2.5 px-4 py-3.5">
        <h3 className="font-semibold">Try it with demo data</h3>
        <p className="text-muted">
          The preview holds 2,000 sample orders, shipments and a demo carrier. Nothing leaves it, and you can reset it
          at any time.
        </p>
        <div aria-hidden className="w-full overflow-hidden rounded-md border border-line">
          {sample.map(([tone, name]) => (
            <div key={name} className="flex items-center gap-2 border-b border-line px-2 py-1 last:border-b-0">
              <Badge tone={tone}>{name}</Badge>
              <span className="h-1.5 w-20 rounded-full bg-skip-soft" />
            </div>
          ))}
        </div>
        <a href={other.url} className={buttonClass("plain")}>
          Open the demo preview <Icon name="open" />
        </a>
        <p className="text-sm text-muted">
          The preview has its own users. The first administrator has the same password in both.
        </p>
      </div>
    </Card>
  );
}
