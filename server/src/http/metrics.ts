import type { World } from "../context.ts";
import type { Metrics, MetricsOptions } from "./metrics-registry.ts";

/** The library is loaded with the first request: a start should not wait for it. What comes meanwhile is counted then. */
export function createMetrics(world: World, options: MetricsOptions): Metrics {
  let loading: Promise<Metrics> | undefined;
  let loaded: Metrics | undefined;
  const early: ((metrics: Metrics) => void)[] = [];
  const load = (): Promise<Metrics> =>
    (loading ??= import("./metrics-registry.ts").then(({ createRegistry }) => {
      loaded = createRegistry(world, options);
      for (const tell of early.splice(0)) tell(loaded);
      return loaded;
    }));
  function note(tell: (metrics: Metrics) => void): void {
    if (loaded) return tell(loaded);
    early.push(tell);
    load().catch((error: unknown) => world.log.warn({ err: error }, "nothing is measured"));
  }
  return {
    observe: (...observation) => note((metrics) => metrics.observe(...observation)),
    refused: (code) => note((metrics) => metrics.refused(code)),
    bytes: async () => await (await load()).bytes(),
  };
}
