import { isMachineCommand } from "./machine-commands.ts";

/** The package for other machines is JavaScript. */
const isSource = import.meta.url.endsWith(".ts");
const typed = process.argv.slice(2);

if (!isMachineCommand(typed)) {
  const { exitCodes } = await import("./exit.ts");
  process.on("SIGINT", () => process.exit(exitCodes.interrupted));
  // The reader has enough, such as `head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exitCodes.done);
    throw error;
  });
  process.exitCode = await (await import("./run-cli.ts")).runCli(typed);
} else if (isSource) {
  await import("../../server/src/main/hub.ts");
} else {
  console.error(`hub: "${typed.join(" ")}" works on the machine of the hub. Run it there, in the folder of the hub.`);
  process.exitCode = (await import("./exit.ts")).exitCodes.usage;
}
