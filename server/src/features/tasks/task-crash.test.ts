import { expect, test } from "vitest";
import { runImportStory } from "../../../../chaos/src/import-story.ts";
import { runTaskSession } from "../../../../chaos/src/task-session.ts";

// The short forms of `npm run chaos -- --tasks` and `-- --import`: real processes, real kills.
const quietly = (): void => {};
const patience = { timeout: 180_000 };

test(
  "two hubs under kills, a freeze and cut connections lose nothing, send nothing twice and end everything",
  patience,
  async () => {
    const session = { seed: 11, strikes: 4, nodes: 2, clients: 3, withinMs: 25_000, isTimePassed: true };
    const { findings, struck, accepted } = await runTaskSession(session, quietly);
    expect(findings).toEqual({ lost: [], doubled: [], illegalTransitions: [], afterCancel: [], broken: [] });
    expect(Object.values(struck).reduce((sum, n) => sum + n, 0)).toBeGreaterThan(1);
    expect(accepted).toBeGreaterThan(5);
  },
);

test(
  "an import that a schedule began outlives the hubs that work on it, and every order is there once",
  patience,
  async () => {
    const story = await runImportStory({ seed: 3, orders: 300, kills: 2, withinMs: 60_000 }, quietly);
    expect(story.problems).toEqual([]);
    expect(story.kills).toBe(2);
    expect(story.executions[0]).toMatchObject({ status: "succeeded", trigger: "schedule" });
    expect(story.executions[0]!.attempts).toContain("lost");
  },
);
