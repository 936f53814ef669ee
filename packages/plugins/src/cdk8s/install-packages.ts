import { hash, randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "@capstan/model";
import type { Stage } from "@capstan/plugin-kit";
import { cacheFolder, isThere } from "../binaries/bundled-tools.ts";
import type { Packages } from "./app-file.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** npm's settings, and the certificate authorities of Node. */
const operatorsOwn = /^(npm_config_.+|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA)$/i;

const installing = new Map<string, Promise<string>>();

/** Folder with the node_modules of a lock file: installed once for its digest, without running scripts of packages. */
export async function installPackages(packages: Packages, stage: Stage, operator: Env): Promise<string> {
  const digest = hash("sha256", canonicalJson([packages.files, process.versions.modules]), "hex");
  const folder = join(cacheFolder(stage.env), "cdk8s", digest.slice(0, 32));
  const started = installing.get(folder) ?? installOnce(folder, packages, { stage, operator });
  installing.set(folder, started);
  try {
    return await started;
  } finally {
    installing.delete(folder);
  }
}

async function installOnce(
  folder: string,
  { files }: Packages,
  { stage, operator }: { stage: Stage; operator: Env },
): Promise<string> {
  if (await isThere(folder)) return folder;
  const fresh = `${folder}.${randomUUID()}.new`;
  await mkdir(join(fresh, "node_modules"), { recursive: true });
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(fresh, name), text);
    stage.log.info({ folder }, "installing the packages of a cdk8s application");
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
    const installHint = "Install Node.js with npm where Capstan runs, and put both on PATH";
    await stage.run({ program: "npm", args, cwd: fresh, env: npmEnv(stage.env, operator), installHint });
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process was faster.
    if (!(await isThere(folder))) throw error;
  }
  return folder;
}

/** The operator's settings of npm: registries and their tokens; what was downloaded is kept for all. */
function npmEnv(env: Stage["env"], operator: Env): Record<string, string> {
  const given = Object.entries(operator).flatMap(([name, value]) =>
    value !== undefined && operatorsOwn.test(name) ? [[name, value] as const] : [],
  );
  return {
    npm_config_userconfig: join(operator.HOME ?? homedir(), ".npmrc"),
    npm_config_cache: join(cacheFolder(env), "npm"),
    npm_config_update_notifier: "false",
    // A registry that fails is told before the render's time is over.
    npm_config_fetch_retries: "1",
    npm_config_fetch_retry_mintimeout: "1000",
    npm_config_fetch_timeout: "30000",
    ...Object.fromEntries(given),
  };
}
