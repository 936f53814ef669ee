import { CapstanError } from "@capstan/model";
import {
  followLinks,
  type Generated,
  type GeneratedManifest,
  inProcessPlugin,
  joinWithin,
  type Plugin,
  type RenderContext,
  type Stage,
} from "@capstan/plugin-kit";
import type { BackendNeeds, ReadSecret } from "./backends/backend.ts";
import { LeaseCache } from "./backends/leases.ts";
import { TokenCache } from "./backends/token-cache.ts";
import { openBackend } from "./open-backend.ts";
import { readPathRule } from "./path-rule.ts";
import { requirePermitted } from "./permitted-path.ts";
import { type ReplaceOptions, replacePlaceholders } from "./replace-placeholders.ts";
import { SecretReader } from "./secret-reader.ts";
import { Settings } from "./settings.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What the stage may reach besides the network. */
interface VaultOptions {
  readSecret?: ReadSecret;
}

/** What outlives a render. */
interface Memory {
  tokens: TokenCache;
  leases: LeaseCache;
}

/** Problems that a message shows. */
const maxProblems = 20;
const maxFileBytes = 10 * 2 ** 20;

/** argocd-vault-plugin's placeholders as a transforming stage, its settings from the application, then from `env`. */
export function vault(env: Env, options: VaultOptions = {}): Plugin {
  let memory: Memory | undefined;
  return inProcessPlugin({
    name: "vault",
    sensitive: true,
    inputs: async (context) => ({
      // Which files hold secrets is known only when the manifests are.
      paths: readSettings(context, env).get("AVP_TYPE")?.trim() === "sops" ? [""] : [],
      refs: {},
      facts: context.source.plugin?.env ?? [],
    }),
    transform(manifests, context, stage) {
      memory ??= { tokens: new TokenCache(stage.clock), leases: new LeaseCache(stage.clock) };
      return transform(manifests, { ...options, context, stage, env, memory });
    },
  });
}

interface TransformInput extends VaultOptions {
  context: RenderContext;
  stage: Stage;
  env: Env;
  memory: Memory;
}

async function transform(manifests: readonly GeneratedManifest[], input: TransformInput): Promise<Generated> {
  const { context, env, memory, readSecret } = input;
  const { clock, signal, refresh } = input.stage;
  const ends: number[] = [];
  const filled = await fillPlaceholders(manifests, readSettings(context, env), {
    ...memory,
    clock,
    signal,
    refresh,
    onLease: (until) => void ends.push(until),
    readFile: (path) => readSourceFile(context, path),
    ...(readSecret ? { readSecret } : {}),
    ...(context.secretStores ? { secretStores: context.secretStores } : {}),
  });
  return { manifests: filled, commands: [], ...(ends.length > 0 ? { until: Math.min(...ends) } : {}) };
}

async function readSourceFile({ tree, path }: RenderContext, file: string): Promise<Buffer | undefined> {
  const inside = file.startsWith("/") ? undefined : joinWithin(path, file);
  if (inside === undefined) throw new Error("the path leads out of the source");
  const entry = await followLinks(tree, inside);
  if (entry?.kind !== "file" && entry?.kind !== "executable") return undefined;
  if ((await tree.size(entry)) > maxFileBytes)
    throw new Error(`the file is larger than ${maxFileBytes / 2 ** 20} MiB`);
  return tree.read(entry);
}

export interface FillNeeds extends BackendNeeds {
  signal: AbortSignal;
}

/** Every placeholder's value in its place; rejects with all that have none, by document, key and path. */
export async function fillPlaceholders(
  manifests: readonly GeneratedManifest[],
  settings: Settings,
  needs: FillNeeds,
): Promise<GeneratedManifest[]> {
  const options = await replaceOptions(settings, needs);
  const replaced = await Promise.all(
    manifests.map(async (one) => ({ one, ...(await replacePlaceholders(one.manifest, options)) })),
  );
  const problems = replaced.flatMap(({ one, problems: own }) =>
    own.map((problem) => `${nameOf(one)}: ${problem}`),
  );
  needs.signal.throwIfAborted();
  if (problems.length > 0) throw failed(problems);
  return replaced.map(({ one, manifest }) => ({ ...one, manifest }));
}

/** As ARGOCD_ENV_X and as X: both are what the application sets. */
function readSettings({ source }: RenderContext, env: Env): Settings {
  const own = (source.plugin?.env ?? []).map(({ name, value }) => [name.replace(/^ARGOCD_ENV_/, ""), value]);
  return new Settings(Object.fromEntries(own), env);
}

async function replaceOptions(settings: Settings, needs: FillNeeds): Promise<ReplaceOptions> {
  try {
    const allowedPaths = settings.both("AVP_PATH_VALIDATION").map(readPathRule);
    let reader: Promise<SecretReader> | undefined;
    const open = async () => new SecretReader(await openBackend(settings, needs), needs.signal);
    return {
      isCompatible: settings.get("AVP_COMPATIBLE") === "true",
      allowedPaths,
      resolve: async (query) => {
        requirePermitted(needs.secretStores, settings, query);
        // Nobody logs in for manifests without a placeholder.
        reader ??= open();
        return (await reader).read(query);
      },
    };
  } catch (error) {
    throw failed([error instanceof Error ? error.message : String(error)]);
  }
}

function nameOf({ manifest: { kind, metadata }, origin }: GeneratedManifest): string {
  const place = origin ? ` (${origin.file}${origin.document ? `, document ${origin.document}` : ""})` : "";
  return `${kind} ${metadata.name ?? ""}${place}`;
}

function failed(problems: readonly string[]): CapstanError {
  const shown = [...new Set(problems)];
  const more = shown.length > maxProblems ? [`and ${shown.length - maxProblems} more`] : [];
  const problem = [...shown.slice(0, maxProblems), ...more].join("; ");
  return new CapstanError({ code: "PLUGIN_FAILED", plugin: "vault", problem });
}
