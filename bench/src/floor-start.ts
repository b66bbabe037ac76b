import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "../../server/src/db/embedded-postgres.ts";

/** The minimum of a start: a database cluster that accepts connections. */
const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });
const postgres = await startEmbeddedPostgres({ dataDir: values["data-dir"]!, log: () => {} });
console.log("ready");
process.once("SIGTERM", () => void postgres.stop().then(() => process.exit(0)));
// Keeps this process alive; the database is a separate one.
setInterval(() => {}, 60_000);
