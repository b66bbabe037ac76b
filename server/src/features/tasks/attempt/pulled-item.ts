/** A pulled record as the hub takes it, or why it cannot. */
export type PulledItem = {
  externalId: string;
  updatedAt: string | undefined;
  body: Record<string, unknown>;
  failure?: { code: string; message: string };
};

/** `conflicts`: records that were changed here, and what that means for them. */
export type Stored = {
  counts: Record<string, number>;
  failures: unknown[];
  conflicts?: unknown[];
  /** When the oldest of those that failed was changed at its source. */
  failedSince?: string | undefined;
};
