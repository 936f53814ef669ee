#!/usr/bin/env node
// Plain JavaScript, so that any Node can start it: the TypeScript sources need the pinned Node 26.
import { existsSync } from "node:fs";
import module from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const top = dirname(dirname(fileURLToPath(import.meta.url)));
const pinned = join(top, "node_modules", "node", "bin", "node");
// Under these names it takes the place of the programs that are called so.
const programs = { "argocd-cmp-server": "plugin-server", "argocd-vault-plugin": "vault-plugin", kpt: "kpt" };
const program = Object.keys(programs).find((name) => basename(process.argv[1] ?? "").startsWith(name));
const argv = [...(program === undefined ? [] : [programs[program]]), ...process.argv.slice(2)];

if (Number.parseInt(process.versions.node, 10) < 26) {
  if (!existsSync(pinned)) {
    console.error(`capstan needs Node 26, this is ${process.version}: run \`npm ci\` in ${top}`);
    process.exit(1);
  }
  await runPinned();
} else {
  // A confined program has one of its own: what it writes is nobody else's to run.
  const { CAPSTAN_COMPILE_CACHE: ownCache } = process.env;
  module.enableCompileCache(ownCache ?? join(top, "node_modules", ".cache", "capstan-compile"));
  const up = async (argv) => (await import("../processes/up.ts")).runUp(argv);
  const kpt = async (argv) => (await import("../processes/kpt.ts")).runKpt(argv);
  const kptNext = async (words) => (await import("../processes/kpt/verbs.ts")).nextWords(words);
  const vaultPlugin = async (argv) =>
    (await import("../processes/argocd-vault-plugin.ts")).runVaultPlugin(argv);
  const pluginServer = async (argv) => (await import("../processes/plugin-server.ts")).runPluginServer(argv);
  const shippedPlugins = async (env) => (await import("../processes/shipped-plugins.ts")).shippedPlugins(env);
  const makeCertificate = async (host, now) =>
    (await import("@capstan/cluster")).createSelfMadeCertificate({ commonName: host, names: [host] }, now);
  const [name, ...args] = argv;
  if (name === "vault-plugin") process.exitCode = await vaultPlugin(args);
  else if (name === "kustomize")
    process.exitCode = await (await import("../processes/kustomize.ts")).runKustomize(args);
  else if (name === "local-plugins")
    process.exitCode = await (await import("../processes/local-plugins.ts")).runLocalPlugins(args);
  else if (name === "repo-server")
    process.exitCode = await (await import("../processes/repo-server.ts")).runRepoServer(args);
  else if (name === "kpt") process.exitCode = await kpt(args);
  else {
    const { main } = await import("../packages/cli/src/index.ts");
    const extras = { up, pluginServer, kpt, kptNext, vaultPlugin, shippedPlugins, makeCertificate };
    process.exitCode = await main(argv, extras);
  }
}

async function runPinned() {
  const { spawn } = await import("node:child_process");
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...argv], {
    // The channel tells the child of this one's end, whatever ends it.
    stdio: argv[0] === "up" ? ["inherit", "inherit", "inherit", "ipc"] : "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    // Its own ending by it is what a shell and a script look for.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
