/** A pulled record as the hub takes it, or why it cannot. */
export type PulledItem = {
  externalId: string;
  updatedAt: string | undefined;
  body: Record<string, unknown>;
  failure?: { code: string; message: string };
};

export type Stored = { counts: Record<string, number>; failures: unknown[] };
