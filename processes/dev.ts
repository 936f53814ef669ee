/** `npm run dev`: the whole system, restarted on save, and the page with hot reload. Data lives in .capstan/dev. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const top = join(import.meta.dirname, "..");
const dataDir = join(top, ".capstan", "dev");
const url = "http://127.0.0.1:8080";
mkdirSync(dataDir, { recursive: true });
// Without it the sources run, which Node watches then.
rmSync(join(top, "processes", "dist", "sources.json"), { force: true });

const system = spawn(
  process.execPath,
  [
    "--watch",
    "--watch-preserve-output",
    join(top, "bin/capstan.js"),
    "up",
    "--data",
    dataDir,
    ...process.argv.slice(2),
  ],
  { stdio: "inherit", cwd: top },
);
const page = spawn("npm", ["run", "--silent", "dev", "-w", "packages/ui"], {
  stdio: "inherit",
  cwd: top,
  env: { ...process.env, CAPSTAN_URL: url },
});

const children: readonly ChildProcess[] = [system, page];
const stop = () => {
  for (const child of children) child.kill("SIGTERM");
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
for (const child of children) child.on("exit", stop);
