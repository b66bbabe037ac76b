/** A pulled record as the hub takes it, or why it cannot. */
export type PulledItem = {
  externalId: string;
  updatedAt: string | undefined;
  body: Record<string, unknown>;
  failure?: { code: string; message: string; errors: unknown[] };
};

/** A record that was not taken, and why. */
export type Rejected = { externalId: string; code: string; message: string; errors?: unknown[] };

/** `conflicts`: records that were changed here, and what that means for them. */
export type Stored = {
  counts: Record<string, number>;
  failures: Rejected[];
  conflicts?: unknown[];
  /** When the oldest of those that failed was changed at its source. */
  failedSince?: string | undefined;
};
