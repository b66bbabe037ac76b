import pg from "pg";

/*
 * Loaded before the hub with `node --import`. Starting with the first statement that has CHAOS_MARKER among its values,
 * statements are counted, and at number CHAOS_KILL_AT the process kills itself: "before" the statement is sent, once it
 * is "sent" and its response is never read, or "after" its response.
 */
const killAt = Number(process.env.CHAOS_KILL_AT);
const moment = process.env.CHAOS_KILL_WHEN;
const marker = process.env.CHAOS_MARKER;

let count = 0;

type Query = (this: unknown, ...args: unknown[]) => unknown;
const prototype = pg.Client.prototype as unknown as { query: Query };
const original = prototype.query;

prototype.query = function query(...args) {
  const [statement] = args;
  const values = (statement as { values?: unknown[] } | undefined)?.values ?? args[1];
  if (count > 0 || (Array.isArray(values) && values.includes(marker))) count++;
  if (count !== killAt) return original.apply(this, args);
  if (moment === "before") die();
  const last = args.at(-1);
  if (typeof last === "function") {
    const done = last as (...results: unknown[]) => void;
    args[args.length - 1] = (...results: unknown[]) => {
      die();
      done(...results);
    };
  }
  const answer = original.apply(this, args);
  // The driver writes at the end of this tick: after that the server runs it and the response is lost.
  if (moment === "sent") setImmediate(die);
  return answer instanceof Promise ? answer.finally(die) : answer;
};

function die(): void {
  process.kill(process.pid, "SIGKILL");
}
