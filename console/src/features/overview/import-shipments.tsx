import { useMutation } from "@tanstack/react-query";
import { queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { downloadText } from "../../ui/download-text.ts";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { showToast } from "../../ui/toast.tsx";
import { importShipments } from "./overview.queries.ts";

/** Imports past shipments from a CSV file. */
export function ImportShipments() {
  const refused = missingScope(useMe(), "shipments:write");
  const take = useMutation({
    mutationFn: async (file: File) => importShipments(await file.text()),
    onSuccess: ({ summary }) => {
      showToast(`${plural(summary.created, "shipment")} imported`);
      // Stay on the page to show the rejected rows.
      if (summary.failed > 0) return;
      void queryClient.invalidateQueries({ queryKey: ["shipments"] });
      void queryClient.invalidateQueries({ queryKey: ["reports"] });
    },
  });
  if (refused) return <Button disabledReason={refused}>Import shipments</Button>;
  const { data } = take;
  return (
    <div className="flex w-full max-w-xl flex-col gap-2.5">
      <FileDrop
        label="Import shipments"
        accept=".csv,text/csv"
        isBusy={take.isPending}
        hint="One row per shipment. Columns are recognized by their names, such as tracking number, carrier, ship date and ZIP."
        onFile={(file) => take.mutate(file)}
      />
      {take.error && <ProblemBox error={take.error} />}
      {data && data.summary.failed > 0 && (
        <p className="flex flex-wrap items-center gap-2">
          <span className="text-warn">
            {formatCount(data.summary.failed)} of {plural(data.summary.rows, "row")} rejected.
          </span>
          {data.rejectedCsv && (
            <Button onClick={() => downloadText("rejected-shipments.csv", data.rejectedCsv!)}>
              Download rejected rows
            </Button>
          )}
          <Button kind="quiet" onClick={() => void queryClient.invalidateQueries()}>
            Continue
          </Button>
        </p>
      )}
    </div>
  );
}
