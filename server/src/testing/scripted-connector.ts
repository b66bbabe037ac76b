import { Type } from "../core/type.ts";
import type { Call, CallTask, Connector, ConnectorTask, Sent } from "../connectors/connector.ts";
import { installedConnectors } from "../connectors/installed-connectors.ts";
import { connectionTest, pushTask } from "../connectors/standard-tasks.ts";
import { afterFile } from "./after-file.ts";

let count = 0;

/** Installs a connector with tasks defined by the test and returns its name. */
export function installConnector(tasks: ConnectorTask[], more: Partial<Connector> = {}): string {
  const name = `scripted-${++count}`;
  const connector: Connector = {
    name,
    title: "Scripted",
    description: "What a test says.",
    settings: Type.Object({}),
    credentials: Type.Object({ token: Type.Optional(Type.String()), user: Type.Optional(Type.String()) }),
    tasks: () => [connectionTest(() => Promise.resolve({})), ...tasks],
    concurrency: 16,
    isOffline: true,
    ...more,
  };
  const installed = installedConnectors as Connector[];
  installed.push(connector);
  afterFile(() => installed.splice(installed.indexOf(connector), 1));
  return name;
}

type Run = CallTask["run"];

export function scriptedCall(name: string, idempotent: boolean, run: Run): CallTask {
  return {
    name,
    title: name,
    description: "What a test says.",
    mode: "call",
    input: Type.Object({}),
    output: Type.Object({}),
    idempotent,
    timeoutMs: 60_000,
    run,
  };
}

/** A shop that counts how often each effect key was applied. `onSend` runs before it is applied, `onSent` after. */
export function scriptedShop(parts: {
  honoursKeys: boolean;
  canFind: boolean;
  onSend?: (call: Call, key: string) => Promise<void>;
  onSent?: (call: Call, key: string) => Promise<void>;
}) {
  const applied = new Map<string, number>();
  const sentOf = (key: string): Sent => ({ externalId: `x-${key.slice(0, 8)}` });
  const task = pushTask("orders.export", {
    description: "What a test says.",
    idempotent: parts.honoursKeys,
    async send(call, _record, key) {
      await parts.onSend?.(call, key);
      if (!parts.honoursKeys || !applied.has(key)) applied.set(key, (applied.get(key) ?? 0) + 1);
      await parts.onSent?.(call, key);
      return sentOf(key);
    },
    ...(parts.canFind
      ? { find: (_call, _record, key: string) => Promise.resolve(applied.has(key) ? sentOf(key) : undefined) }
      : {}),
  });
  return { task, applied };
}
