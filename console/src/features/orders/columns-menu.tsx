import { usePreferences } from "../../live/preferences.ts";
import { Button, buttonClass, IconButton } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Popover } from "../../ui/popover.tsx";
import { showToast } from "../../ui/toast.tsx";
import { defaultColumns, orderColumns } from "./orders.columns.tsx";

/** Columns and their order. Stored in the address, so that a link shows the same, and optionally as the default. */
export function ColumnsMenu({ chosen, onChange }: { chosen: readonly string[]; onChange(ids: string[]): void }) {
  const { preferences, set } = usePreferences();
  const pins = Math.max(1, preferences.orderPins);
  const ordered = [...chosen, ...orderColumns.map(({ id }) => id).filter((id) => !chosen.includes(id))];
  const move = (id: string): void => {
    const at = chosen.indexOf(id);
    const next = [...chosen];
    next.splice(at, 1);
    next.splice(Math.max(0, at - 1), 0, id);
    onChange(next);
  };
  return (
    <Popover
      title="Columns"
      triggerClass={buttonClass("plain")}
      trigger={
        <>
          <Icon name="columns" /> Columns
        </>
      }
    >
      <ul className="mb-2 max-h-80 overflow-y-auto">
        {ordered.map((id) => {
          const column = orderColumns.find((one) => one.id === id);
          if (!column) return null;
          const at = chosen.indexOf(id);
          const isOn = at >= 0;
          return (
            <li key={id} className="flex items-center justify-between">
              <Checkbox
                label={column.title}
                isChecked={isOn}
                onChange={(next) => onChange(next ? [...chosen, id] : chosen.filter((one) => one !== id))}
              />
              {isOn && at > 0 && (
                <span className="flex">
                  <IconButton
                    label={at < pins ? `Unpin ${column.title}` : `Pin ${column.title} and the columns before it`}
                    aria-pressed={at < pins}
                    onClick={() => set({ orderPins: at < pins ? at : at + 1 })}
                  >
                    <Icon name="pushpin" size={12} />
                  </IconButton>
                  <IconButton label={`Move ${column.title} up`} onClick={() => move(id)}>
                    <Icon name="arrow-up" size={12} />
                  </IconButton>
                </span>
              )}
            </li>
          );
        })}
      </ul>
      <div className="flex justify-between border-t border-line pt-2">
        <Button
          kind="quiet"
          onClick={() => {
            onChange([...defaultColumns]);
            set({ orderWidths: {}, orderPins: 1 });
          }}
        >
          Reset
        </Button>
        <Button
          onClick={() => {
            set({ orderColumns: [...chosen] });
            showToast("Columns saved as default");
          }}
        >
          Save as default
        </Button>
      </div>
    </Popover>
  );
}
