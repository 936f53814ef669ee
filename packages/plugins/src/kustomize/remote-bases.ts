import {
  CapstanError,
  isCapstanError,
  messageOf,
  readRepositoryAddress,
  withoutUserinfo,
} from "@capstan/model";
import type { Stage } from "@capstan/plugin-kit";

const answerMs = 15_000;

/** The repository in an address of a base elsewhere; nothing in one that git is not asked for (kustomize api/internal/git repospec.go). */
export function repositoryOf(address: string): string | undefined {
  const text = address.replace(/^git::/, "").replace(/\?.*$/, "");
  const whole = /^[a-z+]+:\/\/|^[^/@]+@[^/:]+:/i.test(text) ? text : `https://${text}`;
  const named = /^(.*?\.git)(?:\/|$)/.exec(whole)?.[1];
  if (named !== undefined) return named;
  const marked = /^(.*[^:/])\/\//.exec(whole)?.[1];
  if (marked !== undefined) return marked;
  const scp = /^([^/@]+@[^/:]+:[^/]+\/[^/]+)/.exec(whole)?.[1];
  if (scp !== undefined && !whole.includes("://")) return scp;
  return /^([a-z+]+:\/\/[^/]+\/[^/]+\/[^/]+)/i.exec(whole)?.[1];
}

/**
 * Variables with which git reaches the repositories of remote bases. A repository that the project does not permit is
 * not asked at all; Argo CD asks all of them, without credentials.
 */
export async function remoteEnv(addresses: readonly string[], stage: Stage): Promise<Record<string, string>> {
  for (const address of addresses) await requirePermitted(address, stage);
  const repositories = new Set(addresses.map(repositoryOf).filter((url) => url !== undefined));
  const settings: [string, string][] = [];
  const env: Record<string, string> = {};
  for (const [index, repository] of [...repositories].entries()) {
    const own = renamed(await stage.credentials(repository), index);
    settings.push(...settingsIn(own));
    for (const [name, value] of Object.entries(own)) if (!name.startsWith("GIT_CONFIG_")) env[name] ??= value;
  }
  const given = settingsIn(stage.env);
  const numbered = [...given, ...settings].flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key] as const,
    [`GIT_CONFIG_VALUE_${at}`, value] as const,
  ]);
  // Without a home git reads nobody's .netrc.
  const nobody = { HOME: "/dev/null" };
  return {
    ...env,
    ...nobody,
    ...Object.fromEntries(numbered),
    GIT_CONFIG_COUNT: String(numbered.length / 2),
  };
}

/**
 * Asks each repository for its branches first, within a time: kustomize would wait for a silent host as long as it
 * may run. Any other failure is kustomize's to tell, since what looks like a repository may be a single file.
 */
export async function checkRemotes(
  addresses: readonly string[],
  env: Readonly<Record<string, string>>,
  stage: Stage,
): Promise<void> {
  // Not in the repository: git would take a directory in it for a repository of its own, with programs to run.
  const { scratch: cwd } = await stage.workspace();
  const repositories = new Set(addresses.map(repositoryOf).filter((url) => url !== undefined));
  const ask = async (url: string) => {
    const args = ["ls-remote", "--quiet", "--heads", "--", url];
    await stage.run({ program: "git", args, cwd, env, timeoutMs: answerMs }).catch((error: unknown) => {
      const isSilent = isCapstanError(error, "TIMED_OUT") || /too slow|timed out/i.test(messageOf(error));
      if (!isSilent) return;
      const repository = url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, "$1");
      const problem = `it does not answer within ${answerMs / 1000} s; a base of the kustomization is there`;
      throw new CapstanError({ code: "REPOSITORY_UNREACHABLE", repository, problem }, error);
    });
  };
  await Promise.all([...repositories].map(ask));
}

/** A single file elsewhere is asked for like a repository, and nothing behind a name may lead out of it again. */
async function requirePermitted(address: string, stage: Stage): Promise<void> {
  const text = address.replace(/^git::/, "").replace(/\?.*$/, "");
  const isUrl = /^[a-z+]+:\/\//i.test(text);
  const repository = repositoryOf(address);
  if (repository === undefined && !isUrl) return;
  await stage.credentials(repository ?? text);
  const whole = isUrl || /^[^/@]+@[^/:]+:/.test(text) ? text : `https://${text}`;
  if (/^file:/i.test(whole) || readRepositoryAddress(whole)) return;
  const problem = `the address of a base "${withoutUserinfo(address)}" could mean several places; write it without "..", "%" and "\\"`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "resources", problem });
}

/** Each repository's user and password under names of their own; what reads them names them likewise. */
function renamed(env: Readonly<Record<string, string>>, index: number): Record<string, string> {
  const rename = (text: string) => text.replaceAll("CAPSTAN_GIT_", `CAPSTAN_GIT_${index}_`);
  const reads = /^(GIT_SSH_COMMAND|GIT_CONFIG_VALUE_\d+)$/;
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [rename(name), reads.test(name) ? rename(value) : value]),
  );
}

function settingsIn(env: Readonly<Record<string, string>>): [string, string][] {
  return Array.from({ length: Number(env.GIT_CONFIG_COUNT ?? 0) }, (_, at) => [
    env[`GIT_CONFIG_KEY_${at}`] ?? "",
    env[`GIT_CONFIG_VALUE_${at}`] ?? "",
  ]);
}
