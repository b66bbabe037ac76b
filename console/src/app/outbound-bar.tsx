import { queryOptions, useQuery } from "@tanstack/react-query";
import { hub } from "../live/hub.ts";
import { text } from "./app.text.ts";

const outboundQuery = queryOptions({
  queryKey: ["outbound"],
  queryFn: () => hub.call("GET /api/v1/outbound"),
  refetchInterval: 60_000,
});

/** Shown on a hub that was restored from a backup, until outbound work is resumed. */
export function OutboundBar() {
  const { data } = useQuery(outboundQuery);
  if (!data?.isPaused) return null;
  return (
    <div role="status" className="bg-warn-soft px-4 py-1 text-center text-sm font-medium text-warn">
      {text.outboundPaused}
    </div>
  );
}
