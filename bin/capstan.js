#!/usr/bin/env node
// Plain JavaScript, so that any Node can start it: the TypeScript sources need the pinned Node 26.
import { existsSync, readFileSync, statSync } from "node:fs";
import module from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";

const top = dirname(dirname(fileURLToPath(import.meta.url)));
/** All programs in few files (tools/pack/bundle-program.ts): `npm ci` makes them, and what is installed has them. */
const bundle = join(top, "processes", "dist");
const pinned = pinnedNode();
// As it was called: a link's name says which command is meant.
const own = process.argv[1] ?? fileURLToPath(import.meta.url);
// What a part that holds a cluster's state allocates is mostly gone in moments. V8 would let the room for it grow to 64 MB,
// and the whole to twice what is held before it looks what is; at rest it would collect all twice, which gives back little
// more; glibc keeps what each thread has freed. All of that is said at the start of a process alone. Where the cluster is
// elsewhere, the room that it takes here is left for what waits for its answers: what outlives two collections is
// collected with all that is old.
const young = "--max-semi-space-size=";
const holdsState = ["up", "controller"].includes(process.argv[2] ?? "");
const holdsCluster =
  process.argv[2] === "up" && !process.argv.some((text) => /^--kubeconfig(?:=|$)/.test(text));
const ofState = [
  `${young}${holdsCluster ? 4 : 16}`,
  "--heap-growing-percent=50",
  "--memory-reducer-gc-count=1",
];
// Whoever installs it may have said how much.
const flags = holdsState ? ofState.filter((flag) => !isSaid(flag.replace(/[^=]*$/, ""))) : [];
const env = flags.length > 0 ? { MALLOC_ARENA_MAX: "1", ...process.env } : process.env;

if (Number.parseInt(process.versions.node, 10) < 26) {
  if (pinned === undefined) {
    const help = existsSync(join(top, "package-lock.json"))
      ? `run \`npm ci\` in ${top}`
      : "install that Node";
    console.error(`capstan needs Node 26, this is ${process.version}: ${help}`);
    process.exit(1);
  }
  await runPinned();
} else {
  if (flags.length > 0) beginAnew();
  // The process has begun with it: its other threads have limits of their own, which the flag would override.
  if (holdsState && process.execArgv.some((text) => text.startsWith(young))) setFlagsFromString(`${young}0`);
  // A confined program has one of its own: what it writes is nobody else's to run.
  const { CAPSTAN_COMPILE_CACHE: ownCache } = process.env;
  module.enableCompileCache(ownCache ?? join(top, "node_modules", ".cache", "capstan-compile"));
  const { runCapstan } = isBundled()
    ? await import(pathToFileURL(join(bundle, "capstan.js")).href)
    : await import("../processes/capstan.ts");
  process.exitCode = await runCapstan(process.argv.slice(2), basename(own));
}

/** The Node that came along: `npm ci` puts it into a package of that name, the packed program has one for the platform. */
function pinnedNode() {
  const { resolve } = module.createRequire(import.meta.url);
  const ofPlatform = `${process.platform}-${process.arch}`;
  for (const name of ["node", `node-${ofPlatform}`, `node-bin-${ofPlatform}`]) {
    try {
      const program = join(dirname(resolve(`${name}/package.json`)), "bin", "node");
      if (existsSync(program)) return program;
    } catch {
      // Another of them is here, or none.
    }
  }
  return undefined;
}

function isSaid(flag) {
  return [process.env.NODE_OPTIONS ?? "", ...process.execArgv].some((text) => text.includes(flag));
}

/** Whether the bundle is there, and made of the sources that are here now. */
function isBundled() {
  try {
    const sources = JSON.parse(readFileSync(join(bundle, "sources.json"), "utf8"));
    return Object.entries(sources).every(([source, [mtimeMs, size]]) => {
      const now = statSync(join(top, source));
      return now.mtimeMs === mtimeMs && now.size === size;
    });
  } catch {
    // It is not made, or a source has gone.
    return false;
  }
}

/** The same process, with the flags. Not where somebody listens to its channel, which would be lost, nor on Windows. */
function beginAnew() {
  if (process.channel || process.platform === "win32" || !process.execve) return;
  const { execPath, execArgv } = process;
  process.execve(execPath, [execPath, ...execArgv, ...flags, own, ...process.argv.slice(2)], env);
}

async function runPinned() {
  const { spawn } = await import("node:child_process");
  const child = spawn(pinned, [...flags, own, ...process.argv.slice(2)], {
    env,
    // The channel tells a child that asks of this one's end, whatever ends it.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    // Its own ending by it is what a shell and a script look for.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
