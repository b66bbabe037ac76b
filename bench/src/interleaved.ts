import { median } from "./bench.ts";

type Work = () => Promise<unknown>;

/** Medians in milliseconds. Interleaved in every round, so that other load on the machine affects both alike. */
export async function timeInterleaved(
  ours: Work,
  floor: Work,
  { rounds, warmUps }: { rounds: number; warmUps: number },
): Promise<{ unit: "ms"; ours: number; floor: number }> {
  const times = { ours: [] as number[], floor: [] as number[] };
  for (let round = -warmUps; round < rounds; round++) {
    const taken = { ours: await time(ours), floor: await time(floor) };
    if (round < 0) continue;
    times.ours.push(taken.ours);
    times.floor.push(taken.floor);
  }
  return { unit: "ms", ours: median(times.ours), floor: median(times.floor) };
}

export async function time(work: Work): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
