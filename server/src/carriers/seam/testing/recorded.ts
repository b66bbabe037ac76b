/** A response as the carrier sent it, or as its documentation shows it. */
export type Recorded = { status: number; body: unknown };

/**
 * What the adapter makes of a recorded response, by kind: rate, buy, track, error ... A reader may throw a RemoteError; any other
 * exception is a defect of the adapter.
 */
export type Readers = Record<string, (recorded: Recorded) => unknown>;
