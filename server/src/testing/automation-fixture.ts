import { expect } from "vitest";
import { automationWork } from "../features/automations/automations.ts";
import { runWork } from "../features/operations/operations.ts";
import { workOff } from "../queue/work.ts";
import { eventually } from "./eventually.ts";
import type { TestClient } from "./test-client.ts";
import type { TestHub } from "./test-hub.ts";

export type TestAction = { type: string; params?: object; when?: object };

export const tag = (...tags: string[]): TestAction => ({ type: "add_tags", params: { tags } });

/** Helpers for tests of automations, whose hub runs no background work by itself. */
export function automationFixture(hub: TestHub) {
  /** Processes all automations and runs until nothing is left to do. */
  async function work(): Promise<void> {
    let count: number;
    do {
      await hub.world.sealer.sealNow();
      count = (await workOff(hub.world, automationWork)) + (await workOff(hub.world, runWork));
    } while (count > 0);
  }

  async function pipelineOf(by: TestClient, ...actions: TestAction[]): Promise<string> {
    const { status, body } = await by.post("/operations/pipelines", { name: `P ${crypto.randomUUID()}`, actions });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.id;
  }

  return {
    work,
    pipelineOf,
    /** Bridge tasks run by themselves: works until the answer is as wanted. */
    workUntil: async <T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> =>
      await eventually(async () => {
        await work();
        return await ask();
      }, isWanted),
    /** An automation in mode `run` on `order.created`; with a pipeline of these actions, if there are any. */
    async automate(by: TestClient, more: object, ...actions: TestAction[]) {
      const way = actions.length > 0 ? { pipeline_id: await pipelineOf(by, ...actions) } : {};
      const about = { name: `A ${crypto.randomUUID()}`, trigger: { types: ["order.created"] }, mode: "run" };
      const { status, body } = await by.post("/automations", { ...about, ...way, ...more });
      expect(status, JSON.stringify(body)).toBe(201);
      return body;
    },
    invocationsOf: async (by: TestClient, id: string) => (await by.get(`/automations/${id}/invocations`)).body.data,
    tagsOf: async (by: TestClient, id: string): Promise<string[]> => (await by.get(`/orders/${id}`)).body.tags,
  };
}
