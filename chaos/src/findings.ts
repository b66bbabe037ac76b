import type { Client } from "pg";

export type Reader = Pick<Client, "query">;

/** Each list must be empty. */
export type Findings = {
  /** Acknowledged, but missing. */
  lost: string[];
  /** Done more than once. */
  doubled: string[];
  illegalTransitions: string[];
  /** Other violations: unfinished runs, inconsistent results, version gaps, a broken hash chain. */
  broken: string[];
};
