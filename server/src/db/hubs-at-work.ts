import { hostname } from "node:os";
import { hubVersion } from "../core/hub-version.ts";
import type { Queryable } from "./database.ts";

/** Each hub process keeps one signal connection to each of its databases, which shows that it is running. */
const prefix = "order-operations-hub signals";
/** PostgreSQL truncates longer names. */
const maxNameLength = 63;

const nameStart = `${prefix} ${hubVersion} ${process.pid}@`;
/** Application name of the signal connection. Earlier versions had the prefix alone. Host names are shortened at the start, since they usually differ at the end. */
export const signalsName = nameStart + hostname().slice(-(maxNameLength - nameStart.length));

/** SQL: this row of pg_stat_activity is the signal connection of a hub on the current database. */
export const isHubAtWork = `datname = current_database() and application_name like '${prefix}%'`;

export type HubAtWork = { pid: number; name: string; address: string | null; since: Date };

export async function findHubsAtWork(db: Queryable): Promise<HubAtWork[]> {
  return await db.query<HubAtWork>(
    `select pid, application_name as name, host(client_addr) as address, backend_start as since
       from pg_stat_activity
      where ${isHubAtWork}
      order by backend_start, pid`,
  );
}

/** For log messages: `hub 0.1.0 (process 4711 on web-1), connected since 2026-11-17T09:00:00Z as database process 99`. */
export function describeHub({ pid, name, address, since }: HubAtWork): string {
  const [version, where] = name.slice(prefix.length).trim().split(" ");
  const [processId, host] = where?.split("@") ?? [];
  const from = address === null ? "this machine" : address;
  const which =
    processId === undefined
      ? `hub of an earlier version, from ${from}`
      : `hub ${version} (process ${processId} on ${host})`;
  return `${which}, connected since ${since.toISOString().slice(0, 19)}Z as database process ${pid}`;
}
