import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { formatCount, formatMs } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { Popover } from "../../ui/popover.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { viewsQuery } from "../views/views.queries.ts";
import { PackIcon } from "./pack-icons.tsx";
import { statsQuery } from "./packing.queries.ts";
import { text } from "./packing.text.ts";
import { StationButton } from "./station-button.tsx";
import type { StationSettings } from "./station-settings.ts";

type Props = {
  settings: StationSettings;
  location: string | undefined;
  onChange(change: Partial<StationSettings>): void;
};

const initialsOf = (name: string): string =>
  name
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((part) => part.charAt(0).toUpperCase())
    .join("");

/** Top bar: the station, the day so far, sounds and the packer. */
export function StationBar({ settings, location, onChange }: Props) {
  const me = useMe();
  const { data: stats } = useQuery(statsQuery);
  const { isMuted } = settings;
  const station = [settings.name, location].filter(Boolean).join(", ");
  return (
    <div className="flex min-h-13 flex-wrap items-center gap-2.5 border-b border-line bg-panel px-3 lg:px-5">
      <Link href={paths.orders()} className={buttonClass("quiet", "min-h-11 lg:min-h-7")}>
        <span className="rotate-180">
          <Icon name="chevron-right" />
        </span>
        {text.exit}
      </Link>
      <span className="h-5 w-px bg-line" />
      <strong className="font-semibold">{text.title}</strong>
      <Popover
        title="Station settings"
        triggerClass={buttonClass("quiet", "min-h-11 lg:min-h-7")}
        triggerLabel={`${station}: station settings`}
        trigger={
          <>
            {station}
            <Icon name="gear" />
          </>
        }
      >
        <Settings settings={settings} onChange={onChange} />
      </Popover>
      <span className="flex-1" />
      {stats && (
        <span className="text-muted">
          <strong className="font-semibold text-text">{formatCount(stats.packedToday)}</strong> packed today
        </span>
      )}
      {stats?.averageSeconds != null && (
        <span className="text-muted max-lg:hidden">{formatMs(stats.averageSeconds * 1000)} each</span>
      )}
      <StationButton
        label={isMuted ? "Sounds off" : "Sounds on"}
        isPressed={!isMuted}
        onPress={() => onChange({ isMuted: !isMuted })}
        look="quiet"
      >
        <PackIcon name={isMuted ? "sound-off" : "sound"} size={18} />
      </StationButton>
      <span
        role="img"
        aria-label={me.name}
        className="grid size-6.5 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent-text"
      >
        {initialsOf(me.name)}
      </span>
    </div>
  );
}

function Settings({ settings, onChange }: Omit<Props, "location">) {
  const { data: views = [] } = useQuery(viewsQuery("orders"));
  const options = [
    { value: "", label: "All orders that are ready" },
    ...views.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <div className="flex flex-col gap-2.5">
      <TextField
        label="Name of this station"
        value={settings.name}
        maxLength={60}
        onChange={(name) => onChange({ name: name.trim() === "" ? "Station 1" : name })}
      />
      <Select label="Queue" value={settings.viewId} options={options} onChange={(viewId) => onChange({ viewId })} />
      <Switch
        label="Buy the label with the last scan"
        isOn={settings.buysLabel}
        onChange={(buysLabel) => onChange({ buysLabel })}
      />
      <Switch
        label="Print the label when it is bought"
        isOn={settings.prints}
        disabledReason={settings.buysLabel ? undefined : "This station buys no labels."}
        onChange={(prints) => onChange({ prints })}
      />
    </div>
  );
}
