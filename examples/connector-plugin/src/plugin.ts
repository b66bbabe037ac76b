import { definePlugin } from "@order-operations-hub/plugin";
import { marketFile } from "./market-file.ts";
import { market } from "./market.ts";

export const plugin = definePlugin({
  api: "1.0",
  namespace: "example",
  connectors: [market],
  csvPresets: [marketFile],
});
