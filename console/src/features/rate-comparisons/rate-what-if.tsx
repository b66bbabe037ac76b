import type { RateComparison, RateComparisonSummary } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatMoney } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Slider } from "../../ui/slider.tsx";
import { rateCardQuery } from "../carrier-accounts/carrier-account.queries.ts";
import type { Scenario } from "./rate-comparisons.queries.ts";

const percent = (value: number): string => `${value} %`;

/** Reads the scenario from the address, such as 15 % fuel and 5 % more discount. */
export function useScenario(): Scenario {
  const { search } = useSearchParams();
  const [fuel, discount] = [numberOf(search["fuel"]), numberOf(search["discount"])];
  return {
    ...(fuel === undefined ? {} : { fuelPercent: fuel }),
    ...(discount === undefined ? {} : { extraDiscountPercent: discount }),
  };
}

function numberOf(value: string | string[] | undefined): number | undefined {
  const text = oneOf(value);
  const number = text === undefined ? Number.NaN : Number(text);
  return number >= 0 && number <= 100 ? number : undefined;
}

type Props = {
  comparison: RateComparison;
  asIs: RateComparisonSummary;
  shown: RateComparisonSummary | undefined;
  error: Error | null;
  isOld: boolean;
};

export function WhatIf({ comparison, asIs, shown, error, isOld }: Props) {
  const { set } = useSearchParams();
  const scenario = useScenario();
  const isOn = Object.keys(scenario).length > 0;
  const fuel = useCardFuel(comparison);
  const change = (name: string) => (value: number | undefined) =>
    set({ [name]: value === undefined ? undefined : String(value) }, "replace");
  const difference = shown && asIs.totals.targetCost - shown.totals.targetCost;
  return (
    <Card label="What if" className="px-3 py-2">
      <div className="flex flex-wrap items-end gap-x-5 gap-y-2">
        <h2 className="self-center text-lg font-semibold tracking-tight">What if</h2>
        <Slider
          label="Fuel"
          value={scenario.fuelPercent}
          start={fuel ?? 0}
          max={40}
          step={0.5}
          untouched={fuel === undefined ? "as in the contract" : `${fuel} %, as in the contract`}
          format={percent}
          onChange={change("fuel")}
        />
        <Slider
          label="Additional discount"
          value={scenario.extraDiscountPercent}
          start={0}
          max={50}
          step={0.5}
          untouched="none"
          format={percent}
          onChange={change("discount")}
        />
        <Button
          kind="quiet"
          disabledReason={!isOn && "Fuel and discount are those of the contract."}
          onClick={() => set({ fuel: undefined, discount: undefined }, "replace")}
        >
          As in the contract
        </Button>
      </div>
      {error && isOn && <ProblemBox error={error} />}
      <p role="status" className="min-h-5 text-muted">
        {isOn && isOld && "Calculating…"}
        {isOn && !isOld && difference !== undefined && (
          <>
            Would pay {formatMoney(shown!.totals.targetCost, asIs.currency)},{" "}
            <strong className="font-medium text-text">
              {formatMoney(Math.abs(difference), asIs.currency)} {difference < 0 ? "more" : "less"}
            </strong>{" "}
            than with the contract unchanged. The figures below use these terms; the Items tab keeps the contract
            prices.
          </>
        )}
        {!isOn && asIs.breakEven.description}
      </p>
    </Card>
  );
}

/** Fuel surcharge of the card, if it is a single percentage. */
function useCardFuel({ carrierAccountId, rateCard }: RateComparison): number | undefined {
  const { data } = useQuery(rateCardQuery(carrierAccountId, rateCard?.id ?? undefined));
  return data?.card.fuel?.percent ?? data?.card.fuel?.table?.at(-1)?.percent;
}
