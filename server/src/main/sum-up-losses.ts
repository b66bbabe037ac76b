import type { LoggerOptions } from "pino";
import { isConnectionLoss } from "../db/database.ts";

type LogMethod = NonNullable<NonNullable<LoggerOptions["hooks"]>["logMethod"]>;

const sumUpEveryMs = 10_000;
const warning = 40;

/**
 * While a database is away every loop of the hub meets that again and again. Each such warning is written once, without a stack,
 * since all of them lead to the same place; how often it was met after that follows every ten seconds.
 */
export function sumUpLosses(everyMs = sumUpEveryMs): LogMethod {
  const unwritten = new Map<string, number>();
  return function logMethod(args, method, level) {
    const [fields, message] = args as unknown as [Record<string, unknown> | undefined, string | undefined];
    const error = fields?.["err"];
    if (level !== warning || message === undefined || !isConnectionLoss(error)) return method.apply(this, args);
    const key = `${String(this.bindings()["environment"])} ${message}`;
    const count = unwritten.get(key);
    if (count !== undefined) return void unwritten.set(key, count + 1);
    unwritten.set(key, 0);
    setTimeout(() => {
      const again = unwritten.get(key) ?? 0;
      unwritten.delete(key);
      if (again > 0) method.apply(this, [{ times: again, withinMs: everyMs }, `${message} (again)`]);
    }, everyMs).unref();
    const { code = "", message: reason } = error as Error & { code?: string };
    const { err: _, ...rest } = fields!;
    method.apply(this, [{ ...rest, reason: `${code} ${reason}`.trim() }, message]);
  };
}
