/** What ends by itself and is removed some time later. Each has a setting of its own. */
export type Kept = "runs" | "executions" | "comparisons" | "pickups" | "labelFiles";
