import { setTimeout as sleepFor } from "node:timers/promises";
import { Type } from "../../core/type.ts";
import { Strict } from "../../core/schema.ts";
import type { CallTask } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { connectionTest } from "../standard-tasks.ts";

const maxSleepMs = 3_600_000;

const noop: CallTask = {
  name: "noop",
  title: "Do nothing",
  description: "Returns its input.",
  mode: "call",
  input: Type.Object({}, { description: "Anything", examples: [{ hello: "world" }] }),
  output: Type.Object({}, { description: "The input" }),
  idempotent: true,
  timeoutMs: 30_000,
  run: ({ input }) => Promise.resolve(input),
};

const sleep: CallTask = {
  name: "sleep",
  title: "Sleep",
  description: "Waits, reports progress ten times, and stops when it is cancelled.",
  mode: "call",
  input: Strict(
    {
      ms: Type.Optional(
        Type.Integer({
          title: "Milliseconds",
          minimum: 0,
          maximum: maxSleepMs,
          default: 1000,
          description: "Duration",
        }),
      ),
    },
    { examples: [{ ms: 250 }] },
  ),
  output: Type.Object({ sleptMs: Type.Integer() }),
  idempotent: true,
  timeoutMs: maxSleepMs + 60_000,
  async run({ input, signal, progress }) {
    const ms = (input.ms as number | undefined) ?? 1000;
    const steps = 10;
    for (let step = 1; step <= steps; step++) {
      await sleepFor(ms / steps, undefined, { signal }).catch((cause: unknown) => {
        throw new RemoteError("cancelled", "Cancelled before the time was over.", { cause });
      });
      progress(step, steps);
    }
    return { sleptMs: ms };
  },
};

const fail: CallTask = {
  name: "fail",
  title: "Fail",
  description: "Fails with the given error.",
  mode: "call",
  input: Strict(
    {
      message: Type.Optional(
        Type.String({ title: "Message", minLength: 1, maxLength: 500, description: "Error message" }),
      ),
      retryable: Type.Optional(
        Type.Boolean({ title: "Retryable", default: false, description: "Whether the error is retryable" }),
      ),
    },
    { examples: [{ message: "The shop is closed.", retryable: true }] },
  ),
  output: Type.Object({}, { description: "Never returned" }),
  idempotent: true,
  timeoutMs: 30_000,
  run({ input }) {
    const message = (input.message as string | undefined) ?? "Failed as requested.";
    return Promise.reject(new RemoteError("demo_failure", message, { retryable: input.retryable === true }));
  },
};

export const demoCalls = [connectionTest(() => Promise.resolve({ shop: "Demo shop" })), noop, sleep, fail];
