import {
  followLinks,
  type Generated,
  type GeneratedManifest,
  joinWithin,
  type Plugin,
  type RenderContext,
  type Stage,
} from "@capstan/plugin-kit";
import { TokenCache } from "@capstan/secret-services";
import { applicationSettings } from "./application-settings.ts";
import type { ReadSecret } from "./backends/backend.ts";
import { LeaseCache } from "./backends/leases.ts";
import { fillPlaceholders } from "./fill-placeholders.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What the stage may reach besides the network. */
export interface VaultOptions {
  readSecret?: ReadSecret;
}

/** What outlives a render. */
interface Memory {
  tokens: TokenCache;
  leases: LeaseCache;
}

const maxFileBytes = 10 * 2 ** 20;

/** What the plugin transforms with; `env` as in vault.ts. */
export function manifestTransformer(env: Env, options: VaultOptions): NonNullable<Plugin["transform"]> {
  let memory: Memory | undefined;
  return (manifests, context, stage) => {
    memory ??= { tokens: new TokenCache(stage.clock), leases: new LeaseCache(stage.clock) };
    return transform(manifests, { ...options, context, stage, env, memory });
  };
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
  const filled = await fillPlaceholders(manifests, applicationSettings(context, env), {
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
