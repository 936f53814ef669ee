import { hash } from "node:crypto";
import { BoundedMap } from "@capstan/flow";
import { stringifyJson } from "@capstan/formats";
import {
  type Inputs,
  type Observed,
  type Plugin,
  type RenderContext,
  type SourceTree,
  traceLinks,
} from "@capstan/plugin-kit";
import type { Rendering } from "../cache/manifest-cache.ts";
import { digestInputs } from "./digest-inputs.ts";

/** Where renderings of one source are kept. */
export interface RenderKey {
  /** Any of them holds the answer; the likeliest first. */
  readonly candidates: readonly string[];
  /** Equal where one run answers all. */
  readonly call: string;
  /** Where what a run gave is to be kept. */
  keep(run: { rendering: Rendering; observed?: Observed }): Promise<string>;
}

type Observation = Pick<Observed, "read" | "listed" | "missed">;

const observationsEach = 4;
const maxPaths = 500_000;

/** Keys of renderings by how a plugin's inputs are known. */
export class RenderKeys {
  /** What the last runs read, by everything but files. */
  readonly #observations = new BoundedMap<readonly Observation[]>(maxPaths);
  /** By plugin: why its output was not kept under what was observed. */
  readonly #unobservable = new BoundedMap<readonly string[]>(1_000);

  async of(plugin: Plugin, context: RenderContext, inputs: Inputs): Promise<RenderKey> {
    const { keyedBy = "inputs" } = plugin;
    if (keyedBy === "observed") return this.#observed(plugin, context, inputs);
    const key = await digestInputs(plugin, context, inputs);
    if (keyedBy === "inputs" && context.manifestGeneratePaths === undefined)
      return { candidates: [key], call: key, keep: async () => key };
    const { revision } = context.tree;
    const exact = withRevision(key, revision);
    return {
      candidates: [key, exact],
      call: exact,
      keep: async ({ rendering }) => (shows(rendering, revision) ? exact : key),
    };
  }

  /** Why the last run of a plugin could not be kept under what was observed; empty where it could. */
  unobservable(plugin: string): readonly string[] {
    return this.#unobservable.get(plugin) ?? [];
  }

  async #observed(plugin: Plugin, context: RenderContext, inputs: Inputs): Promise<RenderKey> {
    const { tree } = context;
    const base = await digestInputs(plugin, context, { ...inputs, paths: [] });
    const whole = withRevision(await digestInputs(plugin, context, inputs), tree.revision);
    const candidates: string[] = [];
    for (const observation of this.#observations.get(base) ?? []) {
      const key = await digestObservation(base, tree, observation);
      candidates.push(key, withRevision(key, tree.revision));
    }
    return {
      candidates: [...candidates, whole],
      call: whole,
      keep: async ({ rendering, observed }) => {
        this.#unobservable.set(plugin.name, observed?.unobservable ?? ["nobody watched what it read"]);
        if (!observed || observed.unobservable.length > 0) return whole;
        this.#remember(base, observed);
        const key = await digestObservation(base, tree, observed);
        return shows(rendering, tree.revision) ? withRevision(key, tree.revision) : key;
      },
    };
  }

  #remember(base: string, { read, listed, missed }: Observed): void {
    const before = this.#observations.get(base) ?? [];
    const text = JSON.stringify([read, listed, missed]);
    const others = before.filter((one) => JSON.stringify([one.read, one.listed, one.missed]) !== text);
    const all = [{ read, listed, missed }, ...others].slice(0, observationsEach);
    const paths = all.reduce((sum, one) => sum + one.read.length + one.listed.length + one.missed.length, 1);
    this.#observations.set(base, all, paths);
  }
}

function withRevision(key: string, revision: string): string {
  return hash("sha256", `${key} ${revision}`);
}

/** Whether the output tells the commit: then it is good for that commit only. */
function shows({ manifests }: Rendering, revision: string): boolean {
  const sign = revision.slice(0, 7);
  return manifests.some(({ manifest }) => stringifyJson(manifest).includes(sign));
}

async function digestObservation(base: string, tree: SourceTree, seen: Observation): Promise<string> {
  const lines = [base];
  for (const path of seen.read) lines.push(`read ${path}\0${await contentOf(tree, path)}`);
  for (const path of seen.listed) lines.push(`list ${path}\0${await namesIn(tree, path)}`);
  for (const path of seen.missed) lines.push(`miss ${path}\0${await contentOf(tree, path)}`);
  return hash("sha256", lines.join("\n"));
}

/** A file by its content, with the links on the way; of a directory only that it is one. */
async function contentOf(tree: SourceTree, path: string): Promise<string> {
  const { entry, needed } = await traceLinks(tree, path);
  const links = needed.slice(0, -1).join(" ");
  if (!entry) return `${links} absent`;
  return entry.kind === "directory" ? `${links} directory` : `${links} ${entry.kind} ${entry.digest}`;
}

async function namesIn(tree: SourceTree, path: string): Promise<string> {
  const { entry } = await traceLinks(tree, path);
  if (entry?.kind !== "directory") return "absent";
  return (await tree.list(entry.path)).map(({ name, kind }) => `${kind} ${name}`).join("\0");
}
