import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "../../ui/card.tsx";
import { SidePanel } from "../../ui/dialog.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { usePanel } from "../../ui/search-params.ts";
import { FindingDetails } from "./finding-details.tsx";
import { findingQuery } from "./findings.queries.ts";
import { findingName } from "./findings.text.ts";

/** The finding that is open beside the list. */
export function FindingPanel() {
  const { open, show } = usePanel("finding");
  const { data, error } = useQuery({ ...findingQuery(open ?? ""), enabled: open !== undefined });
  return (
    <SidePanel title={data ? findingName(data) : "Finding"} isOpen={open !== undefined} onClose={() => show(undefined)}>
      {error && <ProblemBox error={error} />}
      {!data && !error && <Skeleton />}
      {data && <FindingDetails finding={data} key={data.id} />}
    </SidePanel>
  );
}
