import { existsSync } from "node:fs";
import { access, constants, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import {
  fileIdentity,
  type ProbedSandbox,
  type SandboxView,
  sandboxArguments,
  visibleProgram,
  visiblePrograms,
} from "@capstan/plugin-kit";
import { cacheFolder, installedTools } from "@capstan/programs/cache";
import type { RepoStart } from "@capstan/servers/repo";
import { ownFiles } from "../own-files.ts";
import { localSocketFolders } from "./local-plugins.ts";
import type { UpOptions } from "./options.ts";

type Env = Readonly<Record<string, string | undefined>>;

const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** Settings of git and ssh that hold for the machine, and the token of a Pod. */
const ofMachine = [
  ...["/etc/gitconfig", "/etc/ssh/ssh_config", "/etc/ssh/ssh_config.d", "/etc/ssh/ssh_known_hosts"],
  "/var/run/secrets/kubernetes.io/serviceaccount",
];
/** Below the home: what plugins that come along look for there by their documentation. */
const ofPerson = [".config/sops", ".vault-token", ".npmrc", ".docker/config.json", ".aws", "go/pkg/mod"];
/** Variables of the operator for programs that render: files that they name are shown. */
const fileVariables =
  /^(VAULT_|AVP_|SOPS_|AWS_|AZURE_|GOOGLE_|OP_|LOVELY_|HELM_|KPT_|GIT_|SSL_CERT_|CURL_CA|REQUESTS_CA|NODE_EXTRA_CA|SSH_AUTH_SOCK$|DOCKER_CONFIG$)/;
/** Of this process alone. */
const ownVariables = /^(KUBECONFIG|CAPSTAN_DATA|CAPSTAN_PLUGINS|CAPSTAN_PLUGIN_.*|.*_OTLP_.*|NODE_OPTIONS)$/;

export interface ConfinedStart {
  /** What stands before the program's own words. */
  readonly before: readonly string[];
  readonly env: Env;
  /** Why the cache is not where it usually is. */
  readonly whyMoved: string | undefined;
  /** Whether what it is shown of the machine's and the person's files is not what stands there now. */
  isOutdated(): boolean;
}

/** A repo server's folder of its own, below the data folder. */
export function renderFolder({ dataDir }: UpOptions, role: RepoStart["role"]): string {
  return join(dataDir, role === "main" ? "render" : "render-alone");
}

/** How the repo server is started so that it sees programs, Capstan itself and its own folder. */
export async function confineRepoServer(
  options: UpOptions,
  probed: ProbedSandbox,
  role: RepoStart["role"],
): Promise<ConfinedStart> {
  const { env, cache: kept, whyMoved } = await withCache(options);
  if ("why" in probed) return { before: [], env, whyMoved, isOutdated: () => false };
  const render = renderFolder(options, role);
  const [scratch, cache] = [join(render, "tmp"), join(kept, "repo-server")];
  const sockets = localSocketFolders(options);
  for (const folder of [render, scratch, cache, ...sockets]) await mkdir(folder, { recursive: true });
  const tools = [env.CAPSTAN_TOOLS || installedTools(env)].filter((folder) => existsSync(folder));
  const settings = settingFiles(env);
  // A folder of sockets that was removed and made again is another one: the mount shows the one that has gone.
  const replaced = [...settings, options.pluginSockets];
  const shown = whatStandsAt(replaced);
  const view: SandboxView = {
    cwd: "/",
    readable: [...programFiles(env), ...settings, ...tools, options.pluginSockets, ...sockets],
    writable: [render, cache],
    hidden: [options.dataDir],
    scratch,
    network: true,
  };
  const compiled = join(cache, "compiled");
  const caches = { CAPSTAN_CACHE: cache, XDG_CACHE_HOME: cache, CAPSTAN_COMPILE_CACHE: compiled };
  return {
    before: sandboxArguments(view, probed.sandbox),
    env: { ...env, ...caches, ...(tools[0] ? { CAPSTAN_TOOLS: tools[0] } : {}), TMPDIR: "/tmp" },
    whyMoved,
    isOutdated: onceInATurn(() => whatStandsAt(replaced) !== shown),
  };
}

/** A home may be somebody else's, or on a disk that is read only: the data folder, which is written, has a cache then. */
async function withCache({ dataDir }: UpOptions): Promise<{ env: Env; cache: string; whyMoved?: string }> {
  const env: Env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !ownVariables.test(name)),
  );
  const usual = cacheFolder(env);
  try {
    await mkdir(usual, { recursive: true });
    await access(usual, constants.W_OK);
    return { env, cache: usual };
  } catch (error) {
    const cache = join(dataDir, "cache");
    const whyMoved = `${error instanceof Error ? error.message : error}: programs and packages are kept in ${cache}`;
    return { env: { ...env, CAPSTAN_CACHE: cache }, cache, whyMoved };
  }
}

/** Many ask at once, after a commit to the repository of many applications. */
function onceInATurn(look: () => boolean): () => boolean {
  let found: boolean | undefined;
  return () => {
    if (found === undefined) {
      found = look();
      setImmediate(() => {
        found = undefined;
      });
    }
    return found;
  };
}

/** A mount shows the file or folder that was there: one that came later, or took its place, is another. */
function whatStandsAt(paths: readonly string[]): string {
  return paths.map(identityOf).join();
}

/** What may not be looked at is as what is not there. */
function identityOf(path: string): string | undefined {
  try {
    return fileIdentity(path);
  } catch {
    return undefined;
  }
}

function programFiles(env: Env): string[] {
  return [...ownFiles, ...visibleProgram(process.execPath), ...visiblePrograms(env.PATH ?? usualPath)];
}

/** Settings and keys of the machine and of the person. */
function settingFiles(env: Env): string[] {
  const home = env.HOME ?? homedir();
  const named = Object.entries(env)
    .filter(([name]) => fileVariables.test(name))
    .map(([, value = ""]) => value)
    .filter((value) => isAbsolute(value) && dirname(value) !== "/");
  return [...ofMachine, ...ofPerson.map((name) => join(home, name)), ...named];
}
