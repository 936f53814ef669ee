import { CapstanError, type Clock } from "@capstan/model";
import {
  type Generated,
  type GeneratedManifest,
  inProcessPlugin,
  type Plugin,
  type RenderContext,
  type Stage,
} from "@capstan/plugin-kit";
import { TokenCache } from "./backends/vault-login.ts";
import { openBackend } from "./open-backend.ts";
import { type ReplaceOptions, replacePlaceholders } from "./replace-placeholders.ts";
import { SecretReader } from "./secret-reader.ts";
import { Settings } from "./settings.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Problems that a message shows. */
const maxProblems = 20;

/** argocd-vault-plugin's placeholders as a transforming stage, its settings from the application, then from `env`. */
export function vault(env: Env): Plugin {
  let tokens: TokenCache | undefined;
  return inProcessPlugin({
    name: "vault",
    sensitive: true,
    inputs: async ({ source }) => ({ paths: [], refs: {}, facts: source.plugin?.env ?? [] }),
    transform(manifests, context, stage) {
      tokens ??= new TokenCache(stage.clock);
      return transform(manifests, { context, stage, env, tokens });
    },
  });
}

interface TransformInput {
  context: RenderContext;
  stage: Stage;
  env: Env;
  tokens: TokenCache;
}

async function transform(manifests: readonly GeneratedManifest[], input: TransformInput): Promise<Generated> {
  const { clock, signal } = input.stage;
  const filled = await fillPlaceholders(manifests, readSettings(input), {
    clock,
    tokens: input.tokens,
    signal,
  });
  return { manifests: filled, commands: [] };
}

export interface FillNeeds {
  clock: Clock;
  tokens: TokenCache;
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
function readSettings({ context: { source }, env }: TransformInput): Settings {
  const own = (source.plugin?.env ?? []).map(({ name, value }) => [name.replace(/^ARGOCD_ENV_/, ""), value]);
  return new Settings(Object.fromEntries(own), env);
}

async function replaceOptions(
  settings: Settings,
  { clock, tokens, signal }: FillNeeds,
): Promise<ReplaceOptions> {
  try {
    const pattern = settings.get("AVP_PATH_VALIDATION");
    let reader: Promise<SecretReader> | undefined;
    const open = async () => new SecretReader(await openBackend(settings, { clock, tokens }), signal);
    return {
      isCompatible: settings.get("AVP_COMPATIBLE") === "true",
      ...(pattern === undefined ? {} : { allowedPaths: new RegExp(pattern) }),
      resolve: async (query) => {
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
