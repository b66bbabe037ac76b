import type { World } from "../context.ts";
import type { Metrics } from "./metrics-registry.ts";

/** The library is loaded with the first request: a start should not wait for it. What comes meanwhile is counted then. */
export function createMetrics(world: World, inFlight: () => number): Metrics {
  let loading: Promise<Metrics> | undefined;
  let loaded: Metrics | undefined;
  const early: Parameters<Metrics["observe"]>[] = [];
  const load = (): Promise<Metrics> =>
    (loading ??= import("./metrics-registry.ts").then(({ createRegistry }) => {
      loaded = createRegistry(world, inFlight);
      for (const observation of early.splice(0)) loaded.observe(...observation);
      return loaded;
    }));
  return {
    observe(...observation) {
      if (loaded) return loaded.observe(...observation);
      early.push(observation);
      load().catch((error: unknown) => world.log.warn({ err: error }, "nothing is measured"));
    },
    text: async () => await (await load()).text(),
  };
}
