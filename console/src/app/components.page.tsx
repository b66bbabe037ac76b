import { lazy, Suspense, useState } from "react";
import { Badge, Tag } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card, Empty, Heading, Skeleton } from "../ui/card.tsx";
import { BarChart } from "../ui/charts/bar-chart.tsx";
import { LineChart } from "../ui/charts/line-chart.tsx";
import { UsMap } from "../ui/charts/us-map.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { Figures } from "../ui/figures.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { ProblemBox } from "../ui/problem-box.tsx";
import { SchemaForm } from "../ui/schema-form/schema-form.tsx";
import { Select } from "../ui/select.tsx";
import { Switch } from "../ui/switch.tsx";
import { TextArea, TextField } from "../ui/text-field.tsx";
import { showToast } from "../ui/toast.tsx";
import type { Tone } from "../ui/tone.ts";
import { loadPart } from "../ui/load-part.ts";

const JsonEditor = lazy(loadPart(async () => ({ default: (await import("../ui/json-editor.tsx")).JsonEditor })));

const tones: Tone[] = ["ok", "warn", "bad", "skip", "info"];
const days = Array.from({ length: 30 }, (_, day) => ({
  label: `day ${day + 1}`,
  value: 400 + Math.round(180 * Math.sin(day / 3)) + day * 9,
}));
const example = { order: { number: "SHOP-10186", tags: ["rush", "gift"], total: 19, shipBy: null } };
const schema = {
  type: "object",
  required: ["reason"],
  properties: {
    reason: { type: "string", enum: ["customer_request", "high_risk_of_fraud"] },
    duration_days: { type: "integer", minimum: 1, maximum: 365, description: "Instead of until" },
    tags: { type: "array", items: { type: "string" } },
    notify: { type: "boolean" },
    note: { type: "string", maxLength: 5000 },
  },
};

/** Gallery of all components in their states, also used by the accessibility tests. */
export function ComponentsPage() {
  const [text, setText] = useState("Albany");
  const [day, setDay] = useState("2026-11-18");
  const [isOn, setOn] = useState(true);
  const [choice, setChoice] = useState("ground");
  const [state, setState] = useState("NY");
  const [value, setValue] = useState<Record<string, unknown>>({ reason: "customer_request", tags: ["vip"] });
  return (
    <>
      <PageHead title="Components" note="All components in their states" />
      <div className="grid items-start gap-3.5 xl:grid-cols-2">
        <Card className="flex flex-col gap-3 px-3 py-2.5" label="Words and buttons">
          <Heading title="Words and buttons" />
          <div className="flex flex-wrap gap-2">
            <Button
              kind="primary"
              keys="$mod+Enter"
              onClick={() => showToast("It was done", { text: "And this is more about it." })}
            >
              Run
            </Button>
            <Button>Plain</Button>
            <Button kind="quiet">Quiet</Button>
            <Button kind="danger">Danger</Button>
            <Button disabledReason="Select orders first.">Disabled</Button>
            <Button isBusy>Busy</Button>
          </div>
          <div className="flex flex-wrap gap-2">
            {tones.map((tone) => (
              <Badge key={tone} tone={tone}>
                {tone}
              </Badge>
            ))}
            <Tag>rush</Tag>
          </div>
          <Figures
            label="Figures"
            figures={[
              { label: "ready", value: 11_702, tone: "ok", onPick: () => undefined },
              { label: "with a warning", value: 141, tone: "warn" },
              { label: "blocked", value: 588, tone: "bad" },
              { label: "no change", value: 0 },
            ]}
          />
          <ProblemBox
            error={new Error("The connection could not be tested. Check the address of the shop.")}
            onRetry={() => undefined}
          />
          <Empty icon="box" title="No orders yet" text="Empty state: what will be here, and one action.">
            <Button kind="primary">Connect a shop</Button>
          </Empty>
          <Skeleton rows={3} />
        </Card>
        <Card className="flex flex-col gap-3 px-3 py-2.5" label="Forms">
          <Heading title="Forms" />
          <TextField label="City" hint="Where it goes." value={text} onChange={setText} />
          <TextField label="ZIP" error="ZIP 90210 is not in MA." value="90210" onChange={() => undefined} />
          <TextField label="Ship by" type="date" value={day} onChange={setDay} />
          <TextArea label="Note" value={text} onChange={setText} />
          <Select
            label="Service"
            value={choice}
            onChange={setChoice}
            options={[
              { value: "ground", label: "Ground" },
              { value: "2day", label: "2-day" },
            ]}
          />
          <Checkbox label="Exclude blocked orders" isChecked={isOn} onChange={setOn} />
          <Switch label="Comfortable rows" isOn={isOn} onChange={setOn} />
          <SchemaForm
            schema={schema}
            value={value}
            onChange={setValue}
            errors={new Map([["/duration_days", "At least 1."]])}
          />
        </Card>
        <Card className="flex flex-col gap-3 px-3 py-2.5" label="Charts">
          <Heading title="Charts" />
          <LineChart label="Orders a day" points={days} />
          <BarChart
            label="By zone"
            bars={[
              { label: "Zone 2", value: 120 },
              { label: "Zone 5", value: 310 },
              { label: "Zone 8", value: 64 },
            ]}
          />
          <UsMap
            label="Parcels by state"
            values={{ NY: 240, CA: 410, TX: 180, FL: 130, IL: 90, AK: 4 }}
            chosen={state}
            onPick={setState}
          />
        </Card>
        <Card className="flex flex-col gap-3 px-3 py-2.5" label="Data">
          <Heading title="Data" />
          <JsonView label="An order" value={example} />
          <Suspense fallback={<Skeleton rows={3} />}>
            <JsonEditor label="JSON" text={JSON.stringify(example, null, 2)} onChange={() => undefined} />
          </Suspense>
        </Card>
      </div>
    </>
  );
}
