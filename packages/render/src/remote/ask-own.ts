import { stringifyJson } from "@capstan/formats";
import type {
  EnvVariable,
  Generated,
  GeneratedManifest,
  RenderContext,
  SourceTree,
  Stage,
} from "@capstan/plugin-kit";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import { ObjectSource } from "../transfer/object-source.ts";
import { type OwnAnswer, runOwn, type StartInit } from "./own-run.ts";
import { callPool, type PluginPool } from "./plugin-pool.ts";
import type { PluginServer } from "./plugin-server.ts";
import type { RemoteParts } from "./stock-plugin.ts";

export interface AskOptions {
  pool: PluginPool;
  told: pluginV1.Plugin;
  parts: RemoteParts;
}

export interface Question {
  action: "match" | "announce" | "prepare" | "generate" | "transform";
  context: RenderContext;
  env: readonly EnvVariable[];
  /** Of a render; a look for a match or for parameters has none. */
  stage?: Stage;
  /** What of the tree it is given; absent: all. */
  paths?: readonly string[];
  manifests?: readonly GeneratedManifest[];
  signal: AbortSignal;
}

/** The name that applications must use (Argo CD: cmpserver/plugin/config.go PluginConfig.Address). */
export function callName({ name, version }: Pick<pluginV1.Plugin, "name" | "version">): string {
  return version === "" ? name : `${name}-${version}`;
}

const maxWanted = 200_000;

/** One run of a plugin on the least busy of its servers that has this definition of it. */
export async function askOwn({ pool, told, parts }: AskOptions, question: Question): Promise<OwnAnswer> {
  const { context, stage, signal, manifests = [], paths = [""] } = question;
  const { clock, log, limits } = parts;
  const start = await startOf(callName(told), question);
  const suits = (server: PluginServer) => serves(server, told);
  const note = (text: string) => stage?.note(text);
  const call = { plugin: told.name, suits, timeoutMs: limits.timeoutMs, clock, log, signal, note };
  const trees = [
    { tree: context.tree, paths },
    ...Object.values(context.refs).map((tree) => ({ tree, paths: [""] })),
  ];
  return callPool(pool, call, (rpc, to) =>
    runOwn(
      rpc,
      {
        plugin: told.name,
        start,
        manifests: manifests.map(({ manifest }) => stringifyJson(manifest)),
        objects: new ObjectSource(trees),
        sent: (bytes) => parts.sent(told.name, bytes),
        credentials: (repository) => (stage ? stage.credentials(repository) : Promise.resolve({})),
        log,
        maxOutputBytes: limits.maxOutputBytes,
        maxWanted,
      },
      to,
    ),
  );
}

export function readGenerated({ manifests, done }: OwnAnswer): Generated {
  const { commands, timings, observed } = done;
  return { manifests, commands, timings, ...(observed ? { observed } : {}) };
}

function serves({ known }: PluginServer, { name, version, digest }: pluginV1.Plugin): boolean {
  if (known?.protocol !== "own") return known === undefined;
  return known.plugins.some((one) => one.name === name && one.version === version && one.digest === digest);
}

async function startOf(
  plugin: string,
  { action, context, env, stage, paths = [] }: Question,
): Promise<StartInit> {
  const refs: Record<string, NonNullable<StartInit["tree"]>> = {};
  for (const [name, tree] of Object.entries(context.refs)) refs[name] = await treeOf(tree, []);
  return {
    plugin,
    action,
    tree: await treeOf(context.tree, paths.includes("") ? [] : paths),
    refs,
    path: context.path,
    env: [...env],
    refresh: stage?.refresh ?? "normal",
    application: context.appName,
    revision: context.tree.revision,
    sourceJson: stringifyJson(context.source),
    kubeVersion: context.kubeVersion,
    apiVersions: [...context.apiVersions],
    project: context.project,
    namespace: context.namespace,
  };
}

async function treeOf(tree: SourceTree, paths: readonly string[]) {
  const root = await tree.entry("");
  // The ids of pointers are not those of what is sent in their place: there is nothing to check them by.
  const idFormat = tree.standsFor === undefined ? (tree.idFormat ?? "") : "";
  return { id: root?.digest ?? "", idFormat, paths: [...paths] };
}
