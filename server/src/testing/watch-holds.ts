import { performance } from "node:perf_hooks";

/**
 * Loaded into a hub before it starts: tells how long the event loop was held at the longest, when asked by SIGUSR2. In time
 * of the processor, so that other processes on the machine make no difference. SIGWINCH makes the loop late, until the next one.
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
  // The hold that we are in the midst of counts as well.
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
