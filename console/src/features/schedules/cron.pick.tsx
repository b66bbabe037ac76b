import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { previewQuery } from "./schedules.queries.ts";
import { cronPresets } from "./schedules.text.ts";
import { UpcomingRuns } from "./upcoming-runs.tsx";

type Timing = { cron: string; timezone: string };

/** Preview of a cron expression, once typing has paused. */
export function useCronPreview(timing: Timing) {
  const { cron, timezone } = useDebounced({ cron: timing.cron, timezone: timing.timezone });
  const preview = useQuery(previewQuery(cron, timezone));
  return { preview, errors: fieldErrors(preview.error) };
}

/** Cron editor with common presets. */
export function CronFields({
  value,
  errors,
  onChange,
}: {
  value: Timing;
  errors: ReadonlyMap<string, string>;
  onChange(change: Partial<Timing>): void;
}) {
  const zones = useId();
  return (
    <div>
      <div className="mb-1 flex flex-wrap gap-1" role="group" aria-label="Common times">
        {cronPresets.map(([label, cron]) => (
          <Button
            key={cron}
            kind={value.cron === cron ? "plain" : "quiet"}
            aria-pressed={value.cron === cron}
            onClick={() => onChange({ cron })}
          >
            {label}
          </Button>
        ))}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="When"
          className="font-mono"
          hint="Minute, hour, day of month, month, day of week."
          value={value.cron}
          maxLength={200}
          error={errors.get("/cron")}
          onChange={(cron) => onChange({ cron })}
        />
        <TextField
          label="Time zone"
          list={zones}
          hint="Such as America/New_York."
          value={value.timezone}
          error={errors.get("/timezone")}
          onChange={(timezone) => onChange({ timezone })}
        />
        <datalist id={zones}>
          {Intl.supportedValuesOf("timeZone").map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </datalist>
      </div>
    </div>
  );
}

/** The expression in words, with the next runs and the effect of DST changes. */
export function CronMeaning({
  preview: { data, error, isPlaceholderData },
}: {
  preview: ReturnType<typeof useCronPreview>["preview"];
}) {
  return (
    <Card className="px-4 py-3" label="Preview">
      <Heading title="Preview" />
      {data && !error ? (
        <div className={isPlaceholderData ? "stale" : ""}>
          <p className="mb-2 text-lg" role="status">
            {data.description}
          </p>
          <UpcomingRuns runs={data.upcoming} timezone={data.timezone} />
        </div>
      ) : (
        <p className="text-muted">{error ? "Correct the highlighted field." : "…"}</p>
      )}
      {error && !isAllOnFields(error, ["/cron", "/timezone"]) && <ProblemBox error={error} />}
    </Card>
  );
}
