import { readFile } from "node:fs/promises";
import { defineCommand, type FlagValues, type Io, UsageError } from "@capstan/cli/record";
import { dumpYaml } from "@capstan/formats/yaml";
import type { Manifest } from "@capstan/model";
import { fillPlaceholders } from "@capstan/plugin-vault/values";
import { TokenCache } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import { flags } from "./group.ts";
import { mergeSettings, readConfiguration, readSecret } from "./read-configuration.ts";
import { readManifests } from "./read-manifests.ts";

export default defineCommand({
  usage: "PATH|-",
  help: "Replace <placeholders> in manifests with values from a secret store.",
  notes: `Settings come from ARGOCD_ENV_NAME, then NAME, then the file, then the Secret: AVP_TYPE, AVP_AUTH_TYPE, VAULT_ADDR …
Of VAULT_…, AWS_…, AZURE_…, GOOGLE_…, SOPS_… and OP_CONNECT_… what the file or the Secret sets goes before NAME.
`,
  argument: "file",
  arity: [0, 1],
  standsAlone: true,
  flags,
  async run({ args: [path], flags: given, io }) {
    if (path === undefined) throw new UsageError("<path> argument required to generate manifests");
    // For programs: not a byte of it is changed.
    process.stdout.write(await generate(path, given, io));
    return 0;
  },
});

async function generate(
  path: string,
  { "secret-name": secretName, "config-path": configPath }: FlagValues<typeof flags>,
  { env, clock, signal, readInput }: Io,
): Promise<string> {
  const manifests = await readManifests(path, { signal, readInput });
  const prefix = "ARGOCD_ENV_";
  const own = Object.entries(env).filter(([name]) => name.startsWith(prefix));
  const application = Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
  // `-s ${ARGOCD_ENV_AVP_SECRET}` of an application that sets none.
  const places = { ...(secretName && { secretName }), ...(configPath && { configPath }) };
  const configured = await readConfiguration(places, { env, clock, signal });
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
