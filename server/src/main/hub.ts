import { enableCompileCache } from "node:module";
import path from "node:path";

// Before anything else is loaded: compiled code is kept between starts. Beside the code, since whoever can write there
// can change what the hub runs; in the shared folder for temporary files that would be everybody.
enableCompileCache(path.join(import.meta.dirname, "../../../node_modules/.cache/order-operations-hub"));

const { runCommand } = await import("./commands.ts");
await runCommand(process.argv.slice(2));
