import type { CarrierAccount } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Empty, Heading } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { FactList } from "../../ui/facts.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import type { CarrierKind } from "./carrier-account.queries.ts";

const refresh = (): void => void queryClient.invalidateQueries({ queryKey: ["carrier-accounts"] });

/** Zones of the account: its chart, or else by distance. */
export function ZonesTab({ account, kind }: { account: CarrierAccount; kind: CarrierKind | undefined }) {
  const { zoneChart: chart } = account;
  if (kind?.usesRateCards === false) return <Empty text={`${kind.title} has built-in zones.`} />;
  return (
    <div className="flex max-w-2xl flex-col gap-3.5">
      <Card className="px-3 py-2.5" label="Zone chart">
        <Heading title="Zone chart">{chart && <RemoveChart account={account} />}</Heading>
        {chart ? (
          <FactList
            facts={[
              ["Name", chart.name],
              ["Rows", formatCount(chart.rowCount)],
              ["Version", formatCount(chart.version)],
              ["Uploaded", <Time key="at" at={chart.uploadedAt} />],
            ]}
          />
        ) : (
          <p className="text-muted">
            No zone chart. Zones are derived from the distance between the ZIP codes, which is right for about 96 of 100
            parcels. Upload the chart of the carrier to make them exact.
          </p>
        )}
      </Card>
      <UploadChart account={account} />
    </div>
  );
}

function UploadChart({ account }: { account: CarrierAccount }) {
  const refused = missingScope(useMe(), "carrier_accounts:write");
  const [origin, setOrigin] = useState("");
  const upload = useMutation({
    mutationFn: async (file: File) =>
      hub.call("PUT /api/v1/carrier-accounts/{id}/zone-chart", {
        path: { id: account.id },
        body: {
          name: file.name.replace(/\.\w+$/, "").slice(0, 100),
          csv: await file.text(),
          ...(origin.trim() === "" ? {} : { origin: origin.trim() }),
        },
      }),
    onSuccess: (chart) => {
      refresh();
      showToast(`Zone chart with ${plural(chart.rowCount, "row")} uploaded`);
    },
  });
  return (
    <Card className="px-3 py-2.5" label="Upload zone chart">
      <Heading title={account.zoneChart ? "Replace zone chart" : "Upload zone chart"} />
      <div className="flex flex-col gap-2.5">
        {upload.error && <ProblemBox error={upload.error} />}
        <TextField
          label="Origin of all rows (optional)"
          hint="For files without an origin column: 070, 07114 or 070-073."
          value={origin}
          maxLength={11}
          onChange={setOrigin}
        />
        {refused ? (
          <Button disabledReason={refused}>Choose a CSV file</Button>
        ) : (
          <FileDrop
            label="Choose a CSV file"
            accept=".csv,text/csv"
            isBusy={upload.isPending}
            hint="One column for destinations, then “zone” or one column per service. “-” means no service."
            onFile={(file) => upload.mutate(file)}
          />
        )}
      </div>
    </Card>
  );
}

function RemoveChart({ account }: { account: CarrierAccount }) {
  return (
    <ConfirmButton
      kind="quiet"
      isDangerous
      label="Delete"
      title="Delete the zone chart?"
      yes={`Delete ${plural(account.zoneChart?.rowCount ?? 0, "row")}`}
      disabledReason={missingScope(useMe(), "carrier_accounts:write")}
      run={async () => {
        await hub.call("DELETE /api/v1/carrier-accounts/{id}/zone-chart", { path: { id: account.id } });
        refresh();
      }}
    >
      <p>New prices use zones by distance. Prices that were calculated before do not change.</p>
    </ConfirmButton>
  );
}
