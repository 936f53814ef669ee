import { hash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "@capstan/formats";
import type { Stage } from "@capstan/plugin-kit";
import { cacheFolder, chosenEnv, confinedStage, isThere } from "@capstan/programs";
import type { Packages } from "./app-file.ts";
import type { HeldFolder, PackageStore } from "./package-store.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** npm's settings, and the certificate authorities of Node. */
const operatorsOwn = /^(npm_config_.+|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA)$/i;

/** `npm start` leaves these, of its own run and its user's home, which a render's npm neither sees nor may change. */
const placeOfNpm =
  /^npm_config_(?:cache|globalconfig|prefix|(?:local|global)_prefix|init_module|node_gyp|nodedir)$/i;

/** Folder with the node_modules of a lock file: installed once for its digest, without running scripts of packages. */
export async function installPackages(
  packages: Packages,
  stage: Stage,
  { store, operator }: { store: PackageStore; operator: Env },
): Promise<HeldFolder> {
  const digest = hash("sha256", canonicalJson([packages.files, process.versions.modules]), "hex");
  const top = join(cacheFolder(stage.env), "cdk8s");
  const folder = join(top, digest.slice(0, 32));
  return store.filled(folder, stage, async (fresh) => {
    using cache = await store.shared(join(top, "npm"), stage);
    await mkdir(join(fresh, "node_modules"));
    for (const [name, text] of Object.entries(packages.files)) await writeFile(join(fresh, name), text);
    stage.log.info({ folder }, "installing the packages of a cdk8s application");
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
    const installHint = "Install Node.js with npm where Capstan runs, and put both on PATH";
    // A project's .npmrc may name programs for npm to run, and files for it to read.
    const { scratch } = await stage.workspace();
    const userconfig = join(scratch, "npmrc");
    await writeFile(userconfig, await ownConfig(operator), { mode: 0o600 });
    const env = { ...npmEnv(cache.folder, operator), npm_config_userconfig: userconfig };
    const places = { writable: [cache.folder, fresh] };
    const npm = confinedStage(stage, { plugin: "cdk8s", mayRunOpenly: true, ...places });
    await npm.run({ program: "npm", args, cwd: fresh, env, installHint });
    await store.grown(cache, stage);
  });
}

/** The file in which npm keeps registries and their tokens: the program may be another user's, whose it must be. */
async function ownConfig(operator: Env): Promise<string> {
  const path = chosenEnv(operator, /^npm_config_userconfig$/i);
  const file = Object.values(path)[0] ?? join(operator.HOME ?? homedir(), ".npmrc");
  return (await isThere(file)) ? readFile(file, "utf8") : "";
}

/** The operator's settings of npm: registries and their tokens; what was downloaded is kept for all. */
function npmEnv(cache: string, operator: Env): Record<string, string> {
  const chosen = Object.entries(chosenEnv(operator, operatorsOwn)).filter(([name]) => !placeOfNpm.test(name));
  return {
    npm_config_update_notifier: "false",
    // A registry that fails is told before the render's time is over.
    npm_config_fetch_retries: "1",
    npm_config_fetch_retry_mintimeout: "1000",
    npm_config_fetch_timeout: "30000",
    ...Object.fromEntries(chosen),
    npm_config_cache: cache,
  };
}
