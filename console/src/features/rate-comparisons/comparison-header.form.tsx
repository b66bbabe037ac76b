import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { paths } from "../../app/paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Fold } from "../../ui/fold.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useLatest } from "../../ui/use-latest.ts";
import { contractsQuery } from "../carrier-accounts/carrier-account.queries.ts";

export type ComparisonHeader = {
  name: string;
  carrierAccountId?: string;
  sourceCarrier?: string;
  sourceCarrierAccountId?: string;
  /** Further contracts. */
  others?: string[];
};

export const useContracts = () => useQuery(contractsQuery);

/** Name, source carrier and the contract to compare with. */
export function ComparisonHeaderForm({
  value,
  onChange,
}: {
  value: ComparisonHeader;
  onChange(value: ComparisonHeader): void;
}) {
  const { data: contracts, error } = useContracts();
  const set = (change: Partial<Record<Exclude<keyof ComparisonHeader, "others">, string>>): void => {
    const next = Object.entries({ ...value, ...change }).filter(([name, one]) => one !== "" || name === "name");
    onChange(Object.fromEntries(next) as ComparisonHeader);
  };
  const priced = contracts?.filter(({ hasPrices }) => hasPrices);
  const only = priced?.length === 1 ? priced[0]!.id : undefined;
  const latest = useLatest(set);
  useEffect(() => {
    if (only) latest.current({ carrierAccountId: only });
  }, [only, latest]);
  const options = (contracts ?? []).map(({ id, name, hasPrices }) => ({
    value: id,
    label: name,
    ...(hasPrices ? {} : { note: "no rate card" }),
  }));
  return (
    <div className="flex flex-col gap-2.5">
      <TextField label="Name" value={value.name} maxLength={100} onChange={(name) => set({ name })} />
      {error && <ProblemBox error={error} />}
      {contracts?.length === 0 ? (
        <div className="flex flex-col items-start gap-2">
          <p className="text-muted">There is no contract to compare with yet: a carrier account with a rate card.</p>
          <Link href={paths.carriers()} className={buttonClass("plain")}>
            Set up a carrier account
          </Link>
        </div>
      ) : (
        <Select
          label="Compare with"
          value={value.carrierAccountId ?? ""}
          placeholder="Choose a contract"
          options={options}
          onChange={(carrierAccountId) => set({ carrierAccountId })}
        />
      )}
      {priced && priced.length > 1 && (
        <Fold title="Compare with several contracts">
          <OtherContracts contracts={priced} value={value} onChange={onChange} />
        </Fold>
      )}
      <TextField
        label="Carrier (paid)"
        placeholder="UPS"
        value={value.sourceCarrier ?? ""}
        maxLength={100}
        onChange={(sourceCarrier) => set({ sourceCarrier })}
      />
      {contracts && contracts.length > 1 && (
        <Select
          label="Contract of the paid carrier (optional)"
          hint="Used to estimate missing weights"
          value={value.sourceCarrierAccountId ?? ""}
          placeholder="Unknown"
          options={[{ value: "", label: "Unknown" }, ...options]}
          onChange={(sourceCarrierAccountId) => set({ sourceCarrierAccountId })}
        />
      )}
    </div>
  );
}

const maxContracts = 10;

/** Contracts besides the first. */
function OtherContracts({
  contracts,
  value,
  onChange,
}: {
  contracts: ReadonlyArray<{ id: string; name: string }>;
  value: ComparisonHeader;
  onChange(value: ComparisonHeader): void;
}) {
  const { others = [] } = value;
  return (
    <div role="group" aria-label="Further contracts" className="flex flex-col">
      {contracts
        .filter(({ id }) => id !== value.carrierAccountId)
        .map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            isChecked={others.includes(id)}
            onChange={(isChecked) =>
              onChange({
                ...value,
                others: isChecked ? [...others, id].slice(0, maxContracts - 1) : others.filter((other) => other !== id),
              })
            }
          />
        ))}
    </div>
  );
}
