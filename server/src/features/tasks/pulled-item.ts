/** A pulled record as the hub takes it. */
export type PulledItem = { externalId: string; updatedAt: string | undefined; body: Record<string, unknown> };

export type Stored = { counts: Record<string, number>; failures: unknown[] };
