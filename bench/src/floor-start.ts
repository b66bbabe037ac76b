import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "../../server/src/db/embedded-postgres.ts";

/** What a start cannot do without: a database cluster that accepts connections. */
const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });
const postgres = await startEmbeddedPostgres({ dataDir: values["data-dir"]!, log: () => {} });
console.log("ready");
process.once("SIGTERM", () => void postgres.stop().then(() => process.exit(0)));
// The database is a process of its own and does not keep this one alive.
setInterval(() => {}, 60_000);
