import type {
  Label,
  Order,
  PipelineAction,
  OrderFilter,
  PackingSession,
  SavedPipeline,
} from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";

export type ScanAnswer = Answer<"POST /api/v1/packing/scans">;
export type PackItem = PackingSession["items"][number];
export type PackagePatch = NonNullable<Input<"PATCH /api/v1/packing/sessions/{id}">["body"]>;
export type Box = NonNullable<PackagePatch["box"]>;

export const sessionQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["packing", "session", id],
    queryFn: ({ signal }): Promise<PackingSession> =>
      hub.call("GET /api/v1/packing/sessions/{id}", { path: { id: id! }, signal }),
    enabled: id !== undefined,
    // Every answer of the station replaces it.
    staleTime: Number.POSITIVE_INFINITY,
  });

export function keepSession(session: PackingSession): void {
  queryClient.setQueryData(sessionQuery(session.id).queryKey, session);
}

export const statsQuery = queryOptions({
  queryKey: ["packing", "stats"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/packing/stats", { signal }),
  refetchInterval: 60_000,
});

type Queue = { orders: Order[]; total: number };

/** Orders to pack next, by ship-by time. Orders that are being packed, or are packed and wait for a label, are left out. */
export const queueQuery = (filter: OrderFilter) =>
  queryOptions({
    queryKey: ["packing", "queue", filter],
    queryFn: async ({ signal }): Promise<Queue> => {
      const wanted = {
        status: "ready",
        ...(filter as object),
        statusNot: "on_hold",
        sort: "shipBy",
        limit: 50,
      } as const;
      const read = (status: "open" | "packed") =>
        hub.call("GET /api/v1/packing/sessions", { query: { status, limit: 100 }, signal });
      const [ready, open, packed] = await Promise.all([
        hub.call("GET /api/v1/orders", { query: wanted, signal }),
        read("open"),
        read("packed"),
      ]);
      const isBegun = ({ packedCount }: PackingSession): boolean => packedCount > 0;
      const taken = new Set([...open.data.filter(isBegun), ...packed.data].map(({ orderId }) => orderId));
      const orders = ready.data.filter(({ id }) => !taken.has(id));
      return { orders, total: ready.pagination.total - (ready.data.length - orders.length) };
    },
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

/** Price of the label as the order is now. Carriers are asked once for each order; without an answer the page goes on. */
export const priceQuery = ({ id, version, shipping }: Pick<Order, "id" | "version" | "shipping">) =>
  queryOptions({
    queryKey: ["packing", "price", id, version],
    queryFn: async ({ signal }) => {
      const chosen = shipping.carrierAccountId !== undefined && shipping.service !== undefined;
      const actions: PipelineAction[] = [...(chosen ? [] : [{ type: "choose_rate" as const }]), { type: "buy_label" }];
      const report = await hub.call("POST /api/v1/operations/preflight", {
        body: { order_ids: [id], actions },
        signal,
      });
      return report.orders[0]?.steps.flatMap(({ price }) => price ?? []).at(-1) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** The run that buys the label, followed until it ends. */
export const labelRunQuery = (id: string | null) =>
  queryOptions({
    queryKey: ["packing", "run", id],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/operations/runs/{id}", { path: { id: id! }, query: { results_limit: 1 }, signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.finished_at ? false : 400),
  });

export const labelQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["packing", "label", id],
    queryFn: ({ signal }): Promise<Label> =>
      hub.call("GET /api/v1/shipments/labels/{id}", { path: { id: id! }, signal }),
    enabled: id !== undefined,
  });

/** The packages of the organization are those that its saved pipelines choose from. */
export function boxesOf(pipelines: readonly SavedPipeline[]): Box[] {
  const rules = pipelines.flatMap(({ actions }) =>
    actions.flatMap((action) => (action.type === "choose_package" ? action.params.packages : [])),
  );
  const boxes = rules.map(({ package: name, dimensions, weight }): Box => ({
    name,
    ...(dimensions && { dimensions }),
    ...(weight && { weight }),
  }));
  return [...new Map(boxes.map((box) => [box.name, box])).values()];
}
