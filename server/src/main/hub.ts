import "./load-modules.ts";

const { runCommand } = await import("./commands.ts");
await runCommand(process.argv.slice(2));
