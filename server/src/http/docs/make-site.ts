import { handOver } from "./finish-file.ts";
import { makeSite } from "./site-files.ts";

/** A thread that renders the documentation, hands it over and ends. Started by docs-files.ts. */
handOver(makeSite());
