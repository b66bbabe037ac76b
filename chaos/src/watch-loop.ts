import { openSync, writeSync } from "node:fs";

/*
 * Loaded before the hub with `node --import`. A timer that should fire every few milliseconds records in CHAOS_LOOP_FILE when it
 * fired late: by wall clock and by CPU time of this thread. The difference is time that the machine spent elsewhere. It cannot
 * tell one long task from several short ones.
 */
const file = openSync(process.env.CHAOS_LOOP_FILE!, "a");
const everyMs = 5;
const worthNotingMs = 20;

let wall = performance.now();
let cpu = ownTime();
setInterval(() => {
  const [nowWall, nowCpu] = [performance.now(), ownTime()];
  const ms = nowWall - wall - everyMs;
  if (ms > worthNotingMs) writeSync(file, `${JSON.stringify({ at: Date.now(), ms, cpuMs: nowCpu - cpu })}\n`);
  [wall, cpu] = [nowWall, nowCpu];
}, everyMs).unref();

function ownTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
