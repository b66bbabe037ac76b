import type { World } from "../context.ts";
import type { Metrics, MetricsOptions } from "./metrics-registry.ts";

/** Loads the library with the first request, so that a start need not wait for it. Observations until then are kept. */
export function createMetrics(world: World, options: MetricsOptions): Metrics {
  let loading: Promise<Metrics> | undefined;
  let loaded: Metrics | undefined;
  const pending: ((metrics: Metrics) => void)[] = [];
  const load = (): Promise<Metrics> =>
    (loading ??= import("./metrics-registry.ts").then(({ createRegistry }) => {
      loaded = createRegistry(world, options);
      for (const observe of pending.splice(0)) observe(loaded);
      return loaded;
    }));
  function record(observe: (metrics: Metrics) => void): void {
    if (loaded) return observe(loaded);
    pending.push(observe);
    load().catch((error: unknown) => world.log.warn({ err: error }, "metrics are not available"));
  }
  // Asked by another process before this one has served a request.
  options.peers?.onQuestion(async () => (await load()).ownText());
  return {
    observe: (...observation) => record((metrics) => metrics.observe(...observation)),
    refused: (code) => record((metrics) => metrics.refused(code)),
    bytes: async () => await (await load()).bytes(),
    ownText: async () => await (await load()).ownText(),
  };
}
