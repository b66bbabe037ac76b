import type { Client } from "pg";

export type Reader = Pick<Client, "query">;

/** Each list must be empty. */
export type Findings = {
  /** Acknowledged, and not there. */
  lost: string[];
  /** Done more than once. */
  doubled: string[];
  illegalTransitions: string[];
  /** Everything else that cannot be: unfinished runs, results that do not fit, versions with gaps, a broken chain. */
  broken: string[];
};
