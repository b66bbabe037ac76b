import { expect, test } from "vitest";
import { runStory } from "../../../../../chaos/src/story/run-story.ts";
import { readyDataDir } from "../../../testing/ready-data-dir.ts";

// The short form of `npm run chaos -- --story`: real processes, real kills, each story once in each shop that can tell it.
test("two shops with the same numbers, a third and a warehouse: every order ends as required, every parcel is reported once, and only the expected exceptions exist", async () => {
  const options = { seed: 7, orders: 66, kills: 2, withinMs: 60_000, isHurried: true };
  const { problems, struck } = await runStory({ ...options, dataDir: await readyDataDir() }, () => {});
  expect(problems).toEqual([]);
  expect(struck).toEqual({ hub: 1, postgres: 0, both: 1 });
});
