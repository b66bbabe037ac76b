import { sentence } from "../../ui/format.ts";

/** Titles of the tasks that several connectors have; lists show only the name of a task. */
const titles: Record<string, string> = {
  "connection.test": "Test the connection",
  "orders.import": "Import orders",
  "locations.pull": "Import locations",
  "tracking.pull": "Import tracking",
  "inventory.pull": "Import inventory",
  "fulfillments.push": "Report shipments",
  "orders.export": "Export orders",
  "orders.recall": "Recall orders",
  "orders.hold": "Hold in the shop",
  "orders.release_hold": "Release hold in the shop",
  "orders.tag": "Tag in the shop",
  "orders.untag": "Remove tags in the shop",
  "orders.note": "Add note in the shop",
  "orders.refund": "Refund in the shop",
  "orders.cancel": "Cancel in the shop",
};

export const taskTitle = (name: string): string => titles[name] ?? sentence(name.replaceAll(".", " "));

const triggers: Record<string, string> = {
  api: "Request",
  retry: "Retry",
  schedule: "Schedule",
  manual: "Schedule, run now",
  webhook: "Webhook",
  backfill: "Schedule, backfill",
  operation: "Run",
  system: "Hub",
};

/** What started an execution. */
export const triggerName = (trigger: string): string => triggers[trigger] ?? sentence(trigger);
