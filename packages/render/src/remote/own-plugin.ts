import { hash } from "node:crypto";
import type { Limiter } from "@capstan/flow";
import type { ParameterAnnouncement } from "@capstan/model";
import {
  announcementEnv,
  type Discovery,
  discoveryEnv,
  type Generated,
  type GeneratedManifest,
  type Inputs,
  type Plugin,
  pluginEnv,
  type RenderContext,
  type Stage,
} from "@capstan/plugin-kit";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import { OverlayTree } from "../transfer/overlay-tree.ts";
import { type AskOptions, askOwn, callName, type Question, readGenerated } from "./ask-own.ts";
import { readFileChanges, writeFileChanges } from "./file-changes.ts";
import type { OwnAnswer } from "./own-run.ts";
import type { PluginPool } from "./plugin-pool.ts";
import { readAnnouncements } from "./read-announcements.ts";
import { annotatedInputs, declaredInputs, observedInputs } from "./remote-inputs.ts";
import { askingQueue, givenPaths, type RemoteParts, refreshEnv } from "./stock-plugin.ts";

export interface OwnFacts {
  told: pluginV1.Plugin;
  identity: string;
  /** Where the plugin names no limit of its own. */
  concurrency: number;
}

/** A plugin that is driven by Capstan's own protocol. */
export function ownPlugin(pool: PluginPool, facts: OwnFacts, parts: RemoteParts): Plugin {
  const { told, identity } = facts;
  const does = new Set(told.shapes);
  const { discovery, inputs, limits } = told;
  const concurrency = limits?.concurrency || facts.concurrency;
  const remote = new OwnPlugin({ pool, told, parts }, concurrency);
  const discover = readDiscovery(discovery);
  const isDeclared = namesInputs(told);
  return {
    name: callName(told),
    plainName: told.name,
    identity,
    concurrency,
    ...(told.sensitive === undefined ? {} : { sensitive: told.sensitive }),
    notes: told.notes.slice(0, maxNotes),
    keyedBy: isDeclared ? "declared" : inputs?.observe ? "observed" : "inputs",
    parameters: readAnnouncements(told.parameters),
    inputs: async (context): Promise<Inputs> => {
      if (inputs && isDeclared) return declaredInputs(context, identity, inputs);
      return inputs?.observe ? observedInputs(context, identity) : annotatedInputs(context, identity);
    },
    announce: (context, signal) => remote.announce(context, signal),
    ...(discover ? { discover } : {}),
    ...(discovery?.findCommand && !discover
      ? { matches: (context, signal) => remote.matches(context, signal) }
      : {}),
    ...(does.has("generate") ? { generate: (context, stage) => remote.generate(context, stage) } : {}),
    ...(does.has("prepare") && !does.has("generate")
      ? { prepare: (context, stage) => remote.prepare(context, stage) }
      : {}),
    ...(does.has("transform")
      ? { transform: (manifests, context, stage) => remote.transform(manifests, context, stage) }
      : {}),
  };
}

const maxNotes = 20;

function readDiscovery(discovery: pluginV1.Discovery | undefined): Discovery | undefined {
  if (discovery?.fileName) return { fileName: discovery.fileName };
  return discovery?.findGlob ? { find: { glob: discovery.findGlob } } : undefined;
}

class OwnPlugin {
  readonly #ask: AskOptions;
  readonly #asking: Limiter;

  constructor(ask: AskOptions, concurrency: number) {
    this.#ask = ask;
    this.#asking = askingQueue(ask.told.name, concurrency);
  }

  async generate(context: RenderContext, stage: Stage): Promise<Generated> {
    const { told } = this.#ask;
    const prepared = told.shapes.includes("prepare") ? await this.#prepared(context, stage) : context;
    return readGenerated(await this.#askStage({ action: "generate", context: prepared }, stage));
  }

  async transform(
    manifests: readonly GeneratedManifest[],
    context: RenderContext,
    stage: Stage,
  ): Promise<Generated> {
    const answer = await this.#askStage({ action: "transform", context, manifests }, stage);
    return readGenerated(answer);
  }

  async prepare(context: RenderContext, stage: Stage): Promise<void> {
    const { files } = await this.#askStage({ action: "prepare", context }, stage);
    const { root } = await stage.workspace();
    const changes = readFileChanges(this.#ask.told.name, files);
    await OverlayTree.of(context.tree, changes);
    writeFileChanges(root, changes);
  }

  async matches(context: RenderContext, signal: AbortSignal): Promise<boolean> {
    const { told, parts } = this.#ask;
    const env = context.source.plugin ? pluginEnv(context) : discoveryEnv(context.env);
    const root = await context.tree.entry("");
    const key = hash("sha256", JSON.stringify([told.name, told.digest, root?.digest, context.path, env]));
    const known = parts.verdicts.get(key);
    if (known !== undefined) return known;
    const { done } = await this.#asking.run(
      () => askOwn(this.#ask, { action: "match", context, env, signal }),
      signal,
    );
    parts.verdicts.set(key, done.matched);
    return done.matched;
  }

  async announce(context: RenderContext, signal: AbortSignal): Promise<ParameterAnnouncement[]> {
    const { told } = this.#ask;
    if (!told.dynamicParameters) return readAnnouncements(told.parameters);
    const env = announcementEnv(context);
    const { announced } = await this.#asking.run(
      () => askOwn(this.#ask, { action: "announce", context, env, signal }),
      signal,
    );
    return readAnnouncements(announced);
  }

  async #prepared(context: RenderContext, stage: Stage): Promise<RenderContext> {
    const { files } = await this.#askStage({ action: "prepare", context }, stage);
    const changes = readFileChanges(this.#ask.told.name, files);
    return { ...context, tree: await OverlayTree.of(context.tree, changes) };
  }

  #askStage(question: Pick<Question, "action" | "context" | "manifests">, stage: Stage): Promise<OwnAnswer> {
    const { told, parts } = this.#ask;
    const paths = namesInputs(told) ? stage.inputs.paths : givenPaths(stage, parts);
    const env = [...pluginEnv(question.context), ...refreshEnv(stage)];
    return askOwn(this.#ask, { ...question, env, stage, paths, signal: stage.signal });
  }
}

function namesInputs({ inputs }: pluginV1.Plugin): boolean {
  return inputs !== undefined && (inputs.globs.length > 0 || inputs.pathOnly);
}
