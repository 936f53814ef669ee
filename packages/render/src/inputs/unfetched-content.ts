import { BoundedMap } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import {
  type Inputs,
  type Plugin,
  parentOf,
  type RenderContext,
  type SourceTree,
  type TreeEntry,
  walk,
} from "@capstan/plugin-kit";
import { pointerText } from "../fetch/lfs-pointer.ts";

/** What stands below a directory in place of content that is kept elsewhere; paths from that directory. */
interface StandIns {
  submodules: readonly string[];
  /** Pointers of Git LFS. */
  pointers: readonly string[];
}

const none: StandIns = { submodules: [], pointers: [] };
const maxNamed = 3;

/**
 * Refuses to render what lacks a part: a submodule's objects would be missing, and pruned; a pointer's text would be
 * deployed. Known by tree ids, so that a commit costs what it changed.
 */
export class UnfetchedContent {
  readonly #known = new BoundedMap<StandIns>(100_000);
  readonly #scanning = new Map<string, Promise<StandIns>>();

  async refuse(plugin: Plugin, context: RenderContext, inputs: Inputs): Promise<void> {
    const { tree, path, settings } = context;
    const ignoresSubmodules = settings.withoutSubmodules === true;
    const isFlat = plugin.isFlat?.(context.source) ?? false;
    if (!ignoresSubmodules && !isFlat) refuseSubmodules(tree, await this.#below(tree, path));
    for (const place of placesOf(plugin, context, inputs))
      for (const one of new Set(place.paths)) {
        const found = await this.#below(place.tree, one);
        if (!ignoresSubmodules) refuseSubmodules(place.tree, found);
        refusePointers(found);
      }
  }

  /** Of a path that need not be there; full paths. */
  async #below(tree: SourceTree, path: string): Promise<StandIns> {
    const entry = await tree.entry(path);
    if (!entry) return { submodules: await submodulesAbove(tree, path), pointers: [] };
    if (entry.kind === "submodule") return { submodules: [path], pointers: [] };
    if (entry.kind !== "directory")
      return (await isPointer(tree, entry)) ? { ...none, pointers: [path] } : none;
    return beneath(path, await this.#scan(tree, entry));
  }

  /** Once for all who ask while it goes on: a repository's applications are rendered together. */
  #scan(tree: SourceTree, directory: TreeEntry): Promise<StandIns> {
    const key = `${directory.digest} ${tree.standsFor ?? ""}`;
    const known = this.#known.get(key);
    if (known) return Promise.resolve(known);
    const running = this.#scanning.get(key);
    // Whoever began may have given up.
    if (running) return running.catch(() => this.#look(tree, directory, key));
    const started = this.#look(tree, directory, key).finally(() => this.#scanning.delete(key));
    this.#scanning.set(key, started);
    return started;
  }

  async #look(tree: SourceTree, directory: TreeEntry, key: string): Promise<StandIns> {
    const entries = await tree.list(directory.path);
    const found = await Promise.all(
      entries.map(async (entry): Promise<StandIns> => {
        if (entry.kind === "submodule") return { submodules: [entry.name], pointers: [] };
        if (entry.kind === "directory") return beneath(entry.name, await this.#scan(tree, entry));
        return (await isPointer(tree, entry)) ? { submodules: [], pointers: [entry.name] } : none;
      }),
    );
    const all = {
      submodules: found.flatMap(({ submodules }) => submodules).slice(0, maxNamed + 1),
      pointers: found.flatMap(({ pointers }) => pointers).slice(0, maxNamed + 1),
    };
    this.#known.set(key, all);
    return all;
  }
}

/** Brings together what stands elsewhere, before it is read one by one. */
export async function fetchContentAhead(
  plugin: Plugin,
  context: RenderContext,
  inputs: Inputs,
): Promise<void> {
  for (const { tree, paths } of placesOf(plugin, context, inputs)) {
    if (tree.standsFor === undefined && !tree.isPartial) continue;
    const entries = await Promise.all([...new Set(paths)].map((path) => walk(tree, path)));
    await tree.fetchAhead?.(entries.flat());
  }
}

interface Place {
  readonly tree: SourceTree;
  readonly paths: readonly string[];
}

function placesOf(plugin: Plugin, { tree, path, refs }: RenderContext, inputs: Inputs): Place[] {
  const places: Place[] = [{ tree, paths: plugin.inputs ? inputs.paths : [path] }];
  for (const [name, paths] of Object.entries(plugin.inputs ? inputs.refs : {})) {
    const ref = refs[name];
    if (ref) places.push({ tree: ref, paths });
  }
  return places;
}

function beneath(directory: string, { submodules, pointers }: StandIns): StandIns {
  const at = (name: string) => (directory === "" ? name : `${directory}/${name}`);
  return { submodules: submodules.map(at), pointers: pointers.map(at) };
}

/** A path that is not there may lie within a submodule. */
async function submodulesAbove(tree: SourceTree, path: string): Promise<string[]> {
  for (let at = parentOf(path); at !== ""; at = parentOf(at)) {
    const entry = await tree.entry(at);
    if (entry) return entry.kind === "submodule" ? [at] : [];
  }
  return [];
}

async function isPointer(tree: SourceTree, entry: TreeEntry): Promise<boolean> {
  return (await pointerText(tree, entry)) !== undefined;
}

/** For a path at which no directory is found. */
export async function refuseSubmoduleAt(tree: SourceTree, path: string): Promise<void> {
  const isSubmodule = (await tree.entry(path))?.kind === "submodule";
  refuseSubmodules(tree, {
    submodules: isSubmodule ? [path] : await submodulesAbove(tree, path),
    pointers: [],
  });
}

function refuseSubmodules(tree: SourceTree, { submodules }: StandIns): void {
  if (submodules.length === 0) return;
  const why = submodules.map((path) => tree.whyMissing?.(path)).find((one) => one !== undefined);
  const cause = why ?? "the file .gitmodules names no address for it";
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: `submodule ${named(submodules)}`,
    problem: `what it holds would be missing and pruned: ${cause}. Where the content of submodules is not wanted, set reposerver.enable.git.submodule of argocd-cmd-params-cm to false`,
  });
}

function refusePointers({ pointers }: StandIns): void {
  if (pointers.length === 0) return;
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: `file ${named(pointers)}`,
    problem:
      "it is kept by Git LFS, and only the text of its pointer would be deployed: set enableLfs in the repository's Secret, or keep the file in git itself (git lfs migrate export)",
  });
}

function named(paths: readonly string[]): string {
  const rest = paths.length > maxNamed ? " and more" : "";
  return `${paths.slice(0, maxNamed).join(", ")}${rest}`;
}
