import { Type } from "../../core/type.ts";
import { Strict } from "../../core/schema.ts";
import type { Connector } from "../connector.ts";
import { demoCalls } from "./demo-calls.ts";
import { demoPulls } from "./demo-pulls.ts";
import { demoPushes } from "./demo-pushes.ts";

const tasks = [...demoCalls, ...demoPulls, ...demoPushes];

export const demo: Connector = {
  name: "demo",
  title: "Demo shop",
  description: "A simulated shop without network calls, for trying out the hub and testing integrations.",
  settings: Strict(
    {
      seed: Type.Optional(
        Type.Integer({
          title: "Seed",
          minimum: 0,
          maximum: 9999,
          default: 1,
          description: "Each number is another shop with other orders",
        }),
      ),
      pageSize: Type.Optional(
        Type.Integer({
          title: "Page size",
          "x-advanced": true,
          minimum: 1,
          maximum: 250,
          default: 50,
          description: "Records per page",
        }),
      ),
    },
    { examples: [{ seed: 7 }] },
  ),
  credentials: Strict({}),
  tasks: () => tasks,
  concurrency: 16,
  isOffline: true,
};
