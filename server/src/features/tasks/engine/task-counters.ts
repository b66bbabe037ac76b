import { perWorld } from "../../../context.ts";

/** What this process has seen since it started; `fencedWrites` are attempts that came too late and changed nothing. */
export const taskCounters = perWorld(() => ({ fencedWrites: 0, recovered: 0 }));
