import cluster from "node:cluster";
import type { Connection } from "../db/server-client.ts";
import type { Environment } from "../context.ts";

/** The databases of a hub, as its first process passes them on to the others. */
export type Connections = Partial<Record<Environment, Connection>>;

/** Sent by a process when it serves requests. */
export type ReadyMessage = { ready: true; connections: Connections };

/** Sent by the supervisor. `start`: to each process; `alone`: to the first process, when all others have ended. */
export type SupervisorMessage = { start: StartOrder } | { alone: true };

/** `isReplacement`: another process of the hub is serving requests. */
type StartOrder = { number: number; size: number; isReplacement: boolean; connections: Connections };

/** Between processes, relayed by the supervisor: to one of them, or to all others. */
export type GroupMessage = {
  topic: string;
  data: unknown;
  from?: number;
  to?: number;
  /** Set on a question and on its answers. */
  question?: string;
  isAnswer?: boolean;
};

/** The HTTP processes of a hub (`HUB_PROCESSES`), as one of them sees them. */
export type ProcessGroup = {
  /** From 1. The first process owns the embedded database, migrates, and runs background work. */
  number: number;
  size: number;
  /** Other processes are serving requests already. */
  isReplacement: boolean;
  connections: Connections;
  broadcast(topic: string, data: unknown): void;
  onBroadcast(topic: string, listener: (data: unknown) => void): void;
  /** The answers of the other processes, without those that take longer than a second. */
  askOthers(topic: string): Promise<{ from: number; data: unknown }[]>;
  onQuestion(topic: string, answer: () => Promise<unknown>): void;
  /** In the first process: resolves when no other one is left, or the supervisor is gone. In the others at once. */
  othersEnded: Promise<void>;
};

export const singleProcess: ProcessGroup = {
  number: 1,
  size: 1,
  isReplacement: false,
  connections: {},
  broadcast() {},
  onBroadcast() {},
  askOthers: () => Promise.resolve([]),
  onQuestion() {},
  othersEnded: Promise.resolve(),
};

const answerWithinMs = 1_000;

/** Waits for the supervisor's order and joins the other processes. */
export async function joinProcessGroup(): Promise<ProcessGroup> {
  // By default a cluster worker exits at once when its primary is gone; it must end in good order instead.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  const { promise: ordered, resolve: onOrder } = Promise.withResolvers<StartOrder>();
  const { promise: othersEnded, resolve: onAlone } = Promise.withResolvers<void>();
  const listeners = new Map<string, (data: unknown) => void>();
  const answers = new Map<string, () => Promise<unknown>>();
  const questions = new Map<string, (from: number, data: unknown) => void>();
  process.once("disconnect", onAlone);
  process.on("message", (message: SupervisorMessage | GroupMessage) => {
    if ("start" in message) onOrder(message.start);
    else if ("alone" in message) onAlone();
    else void receive(message);
  });

  function send(message: GroupMessage): void {
    if (process.connected) process.send!(message, undefined, undefined, () => {});
  }

  async function receive({ topic, data, from = 0, question, isAnswer }: GroupMessage): Promise<void> {
    if (isAnswer) return questions.get(question!)?.(from, data);
    if (question === undefined) return listeners.get(topic)?.(data);
    const answer = await answers
      .get(topic)?.()
      .catch(() => undefined);
    if (answer !== undefined) send({ topic, data: answer, to: from, question, isAnswer: true });
  }

  const { number, size, isReplacement, connections } = await ordered;
  return {
    number,
    size,
    isReplacement,
    connections,
    othersEnded: number === 1 && size > 1 ? othersEnded : Promise.resolve(),
    broadcast: (topic, data) => send({ topic, data }),
    onBroadcast: (topic, listener) => void listeners.set(topic, listener),
    onQuestion: (topic, answer) => void answers.set(topic, answer),
    askOthers(topic) {
      const question = crypto.randomUUID();
      const received: { from: number; data: unknown }[] = [];
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timeout);
          questions.delete(question);
          resolve(received);
        };
        const timeout = setTimeout(end, answerWithinMs);
        questions.set(question, (from, data) => {
          if (received.push({ from, data }) === size - 1) end();
        });
        send({ topic, data: null, question });
      });
    },
  };
}
