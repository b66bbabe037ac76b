import autocannon from "autocannon";
import { median } from "./bench.ts";

/** A request to repeat. `body` returns the body of the n-th request. */
export type Target = {
  url: string;
  headers: Record<string, string>;
  body?: (n: number) => string;
};

export type Comparison = { ours: number; floor: number; ratio: number };

const connections = 32;
const warmUpSeconds = 6;
const rounds = 12;
const roundSeconds = 1;

/**
 * Requests per second of two servers that do the same work, interleaved in many short rounds so that other load affects both
 * alike. The ratio is the median of the rounds' ratios.
 */
export async function compareThroughput(ours: Target, floor: Target): Promise<Comparison> {
  await requestsPerSecond(ours, warmUpSeconds);
  await requestsPerSecond(floor, warmUpSeconds);
  const results: Comparison[] = [];
  for (let round = 0; round < rounds; round++) {
    const a = await requestsPerSecond(ours, roundSeconds);
    const b = await requestsPerSecond(floor, roundSeconds);
    results.push({ ours: a, floor: b, ratio: a / b });
  }
  return {
    ours: median(results.map((result) => result.ours)),
    floor: median(results.map((result) => result.floor)),
    ratio: median(results.map((result) => result.ratio)),
  };
}

let made = 0;

async function requestsPerSecond({ url, headers, body }: Target, seconds: number): Promise<number> {
  const setupRequest = (request: autocannon.Request): autocannon.Request =>
    body ? { ...request, body: body(made++) } : request;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [{ method: body ? "POST" : "GET", headers, setupRequest }],
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${url}: ${failed} of ${result.requests.total} requests failed`);
  return result.requests.total / result.duration;
}
