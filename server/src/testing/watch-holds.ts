import { performance } from "node:perf_hooks";

/**
 * Preloaded into a hub: on SIGUSR2, reports the longest time the event loop was blocked. In CPU time, independent of other processes.
 * SIGWINCH delays the loop, until the next SIGWINCH.
 */
const everyMs = 5;
let longestMs = 0;
let at = usedMs();

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const watch = setInterval(() => {
  const now = usedMs();
  longestMs = Math.max(longestMs, now - at);
  at = now;
}, everyMs);
watch.unref();

process.on("SIGUSR2", () => {
  // Includes the current block.
  console.log(`held ${Math.max(longestMs, usedMs() - at).toFixed(1)} at ${performance.now()}`);
  longestMs = 0;
  at = usedMs();
});

let holding: NodeJS.Timeout | undefined;

function hold(): void {
  for (const until = performance.now() + 150; performance.now() < until;);
}

process.on("SIGWINCH", () => {
  clearInterval(holding);
  holding = holding ? undefined : setInterval(hold, 20);
});
