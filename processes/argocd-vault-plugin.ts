/** `argocd-vault-plugin`: placeholders of manifests replaced on a command line, with that program's flags. */
import { readFile } from "node:fs/promises";
import { UsageError } from "@capstan/cli/flags";
import { dumpYaml, isCapstanError, type Manifest } from "@capstan/model";
import { fillPlaceholders } from "@capstan/plugin-vault/values";
import { TokenCache } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import { readAvpFlags, usage } from "./argocd-vault-plugin/options.ts";
import { mergeSettings, readConfiguration, readSecret } from "./argocd-vault-plugin/read-configuration.ts";
import { readManifests } from "./argocd-vault-plugin/read-manifests.ts";
import { clock, interrupted, ownVersion } from "./surroundings/own-process.ts";

/** The result is the exit code: 1 where a placeholder has no value, 2 for wrong usage, 130 for Ctrl-C. */
export async function runVaultPlugin(argv: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => stopping.abort(new Error("stopped")));
  try {
    const flags = readAvpFlags(argv);
    if (flags === "help") process.stdout.write(usage);
    else if (flags === "version") process.stdout.write(`argocd-vault-plugin ${ownVersion()} (capstan)\n`);
    else process.stdout.write(await generate(flags, stopping.signal));
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return interrupted();
    const isOurs = error instanceof UsageError || isCapstanError(error) || error instanceof Error;
    process.stderr.write(`Error: ${isOurs ? error.message : String(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function generate(
  flags: { path: string; secretName?: string; configPath?: string },
  signal: AbortSignal,
): Promise<string> {
  const manifests = await readManifests(flags.path, signal);
  const env = process.env;
  const prefix = "ARGOCD_ENV_";
  const own = Object.entries(env).filter(([name]) => name.startsWith(prefix));
  const application = Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
  const configured = await readConfiguration(flags, { env, clock, signal });
  const settings = new Settings(application, mergeSettings(configured, env));
  const filled = await fillPlaceholders(manifests, settings, {
    clock,
    tokens: new TokenCache(clock),
    signal,
    readSecret: (ref, inner) => readSecret(ref, { env, clock, signal: inner }),
    readFile: readOwnFile,
  });
  return filled.map(({ manifest }) => `${dumpYaml(written(manifest))}---\n`).join("");
}

/** Files for tools, such as kustomization.yaml, have no metadata, and get none. */
function written({ metadata, ...rest }: Manifest): object {
  return Object.keys(metadata).length === 0 ? rest : { ...rest, metadata };
}

/** Relative to the working directory, as argocd-vault-plugin has it. */
async function readOwnFile(path: string, signal: AbortSignal): Promise<Buffer | undefined> {
  try {
    return await readFile(path, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
