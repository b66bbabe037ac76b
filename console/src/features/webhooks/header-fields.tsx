import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { TextField } from "../../ui/text-field.tsx";

type Pairs = Array<[name: string, value: string]>;
type Props = {
  /** Names of stored headers; their values are never shown. */
  stored: readonly string[];
  value: Pairs | undefined;
  error: string | undefined;
  onChange(value: Pairs | undefined): void;
};

/** Custom headers of every delivery, for example for a proxy. */
export function HeaderFields({ stored, value, error, onChange }: Props) {
  if (value === undefined) {
    return (
      <p className="flex flex-wrap items-center gap-2 text-muted">
        {stored.length === 0 ? "No custom headers." : `Custom headers, with encrypted values: ${stored.join(", ")}.`}
        <Button kind="quiet" onClick={() => onChange([])}>
          {stored.length === 0 ? "Add headers" : "Replace headers"}
        </Button>
      </p>
    );
  }
  const put = (at: number, pair: [string, string]): void =>
    onChange(value.map((one, index) => (index === at ? pair : one)));
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium text-muted">Headers (optional)</legend>
      {error && <p className="mb-1 text-sm text-bad">{error}</p>}
      {value.map(([name, content], at) => (
        <div key={at} className="mb-1.5 grid grid-cols-[1fr_1fr_auto] items-center gap-2">
          <TextField
            label={`Header ${at + 1}`}
            isLabelHidden
            placeholder="X-Tenant"
            value={name}
            onChange={(next) => put(at, [next, content])}
          />
          <TextField
            label={`Value ${at + 1}`}
            isLabelHidden
            placeholder="value"
            value={content}
            onChange={(next) => put(at, [name, next])}
          />
          <IconButton
            label={`Remove header ${at + 1}`}
            onClick={() => onChange(value.filter((_, index) => index !== at))}
          >
            <Icon name="x" />
          </IconButton>
        </div>
      ))}
      <div className="flex items-center gap-2">
        <Button onClick={() => onChange([...value, ["", ""]])}>
          <Icon name="plus" size={12} /> Add header
        </Button>
        {stored.length > 0 && (
          <>
            <Button kind="quiet" onClick={() => onChange(undefined)}>
              Keep the stored headers
            </Button>
            <span className="text-sm text-warn">These headers replace the stored ones.</span>
          </>
        )}
      </div>
    </fieldset>
  );
}
