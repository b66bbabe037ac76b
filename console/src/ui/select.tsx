import { Select as Base } from "@base-ui/react/select";
import { cx } from "./class-names.ts";
import { Icon } from "./icons.tsx";
import { itemClass, popupClass } from "./popup-class.ts";
import { Field, inputClass } from "./text-field.tsx";

type Option = { value: string; label: string; note?: string };
type Props = {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  isLabelHidden?: boolean;
  value: string;
  options: readonly Option[];
  placeholder?: string;
  onChange(value: string): void;
};

export function Select({ label, hint, error, isLabelHidden, value, options, placeholder, onChange }: Props) {
  const chosen = options.find((option) => option.value === value);
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden ?? false}>
      {(ids) => (
        <Base.Root value={value} onValueChange={(next) => onChange(next ?? "")}>
          <Base.Trigger
            {...ids}
            // Ctrl+Enter belongs to the page, for example to run a pipeline; Enter alone opens the list.
            onKeyDown={(event) => (event.ctrlKey || event.metaKey) && event.preventBaseUIHandler()}
            className={cx(inputClass, "flex items-center justify-between gap-2 text-start")}
          >
            <span className={cx("truncate", !chosen && "text-faint")}>{chosen?.label ?? placeholder ?? "Choose"}</span>
            <Icon name="chevron-down" />
          </Base.Trigger>
          <Base.Portal>
            <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
              <Base.Popup className={popupClass}>
                <Base.List className="max-h-72 overflow-y-auto">
                  {options.map((option) => (
                    <Base.Item key={option.value} value={option.value} className={itemClass}>
                      <Base.ItemText className="flex-1">{option.label}</Base.ItemText>
                      {option.note && <span className="text-sm text-faint">{option.note}</span>}
                      <Base.ItemIndicator>
                        <Icon name="check" />
                      </Base.ItemIndicator>
                    </Base.Item>
                  ))}
                </Base.List>
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </Field>
  );
}
