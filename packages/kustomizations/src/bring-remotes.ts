import { posix, relative } from "node:path";
import { isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { CapstanError, isCapstanError, parseYaml, withoutUserinfo } from "@capstan/model";
import {
  followLinks,
  joinWithin,
  readBelow,
  type SourceTree,
  type Stage,
  writeBelow,
} from "@capstan/plugin-kit";
import { fetchCharts } from "./fetch-charts.ts";
import { readKustomization } from "./kustomization-file.ts";
import { findReferences, type References, type RemoteReference } from "./references.ts";
import { type RemoteAddress, readRemote } from "./remote-bases.ts";
import { renameFiles } from "./rename-files.ts";

/** Bases and files of one build, those of bases elsewhere included. */
const maxRemotes = 200;

/** A kustomization as it is laid out. */
interface Build {
  tree: SourceTree;
  /** Where the tree's root is on the disk. */
  root: string;
  /** From the tree's root. */
  directory: string;
  /** What the source names besides. */
  named: readonly string[];
}

export interface Brought {
  /** Something came from elsewhere. */
  isRemote: boolean;
  /** References.isConfigured of any of them. */
  isConfigured: boolean;
}

/**
 * Brings what a kustomization names elsewhere, and what bases there name in turn, and writes into the copies of the
 * kustomizations where it lies: the project is asked for each address, and kustomize has nothing left to ask for.
 */
export async function bringRemotes(build: Build, stage: Stage, withCharts: boolean): Promise<Brought> {
  return new RemoteBringer(stage, withCharts).bring(build);
}

class RemoteBringer {
  readonly #stage: Stage;
  readonly #withCharts: boolean;
  /** Directories of repositories that are laid out, by address, revision and path. */
  readonly #places = new Map<string, string>();
  readonly #brought: Brought = { isRemote: false, isConfigured: false };
  #count = 0;

  constructor(stage: Stage, withCharts: boolean) {
    this.#stage = stage;
    this.#withCharts = withCharts;
  }

  async bring(build: Build): Promise<Brought> {
    const references = await findReferences(build.tree, build.directory, build.named);
    return this.#bringAll(references, build);
  }

  async #bringAll({ remotes, charts, isConfigured }: References, build: Build): Promise<Brought> {
    this.#brought.isRemote ||= remotes.length > 0;
    this.#brought.isConfigured ||= isConfigured;
    if (this.#withCharts) await fetchCharts(charts, this.#stage, build.root);
    for (const [directory, named] of Map.groupBy(remotes, (remote) => remote.directory)) {
      const places = new Map<string, string>();
      for (const one of named) {
        const place = await this.#place(one, build.root);
        if (place !== undefined) places.set(one.address, place);
      }
      await rewrite(build, directory, places);
    }
    return this.#brought;
  }

  /** Where it lies, from the directory that names it. */
  async #place({ address, directory, isFile }: RemoteReference, root: string): Promise<string | undefined> {
    if (++this.#count > maxRemotes) {
      const problem = `it names more than ${maxRemotes} bases and files elsewhere`;
      throw new CapstanError({ code: "FAILED_PRECONDITION", what: "the kustomization", problem });
    }
    const remote = readRemote(address);
    if (!remote) return undefined;
    const { url, repository } = remote;
    const data =
      url === undefined || (remote.isMarked && !isFile) ? undefined : await this.#file(url, remote);
    if (data) {
      const name = `capstan-elsewhere-${this.#count}-${posix.basename(new URL(url ?? "").pathname)}`;
      writeBelow(root, posix.join(directory, name.slice(0, 200)), data);
      return name.slice(0, 200);
    }
    if (isFile && url === undefined) return undefined;
    if (repository === undefined || isFile) {
      const problem = `"${withoutUserinfo(address)}" is neither the address of a file nor of a git repository`;
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "resources", problem });
    }
    return relative(posix.join(root, directory), await this.#directory({ ...remote, repository }));
  }

  /** As kustomize has it, what a page is found at, or nothing, may be a repository (api/internal/loader fileloader.go). */
  async #file(url: string, { repository, isMarked }: RemoteAddress): Promise<Buffer | undefined> {
    const mayBeRepository =
      repository !== undefined && !isMarked && !/\.(ya?ml|json)$/i.test(new URL(url).pathname);
    try {
      const data = await this.#stage.file(url, repository);
      return mayBeRepository && /^\s*</.test(data.subarray(0, 100).toString()) ? undefined : data;
    } catch (error) {
      if (mayBeRepository && isCapstanError(error, "REPOSITORY_MISSING", "REPOSITORY_AUTH")) return undefined;
      throw error;
    }
  }

  async #directory({ repository, path, revision }: { repository: string; path: string; revision: string }) {
    const key = JSON.stringify([repository, revision, path]);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const tree = await this.#stage.repositoryTree(repository, revision);
    const within = joinWithin("", path);
    if (within === undefined) throw new CapstanError({ code: "PATH_OUTSIDE", path, field: "resources" });
    const entry = await followLinks(tree, within);
    if (entry?.kind !== "directory")
      throw new CapstanError({
        code: "PATH_MISSING",
        path,
        repository: withoutUserinfo(repository),
        revision: tree.revision,
      });
    const references = await findReferences(tree, entry.path, []);
    const root = await this.#stage.layOut(tree, references.paths);
    const place = posix.join(root, entry.path);
    this.#places.set(key, place);
    await this.#bringAll(references, { tree, root, directory: entry.path, named: [] });
    return place;
  }
}

async function rewrite(
  { tree, root }: Build,
  directory: string,
  places: ReadonlyMap<string, string>,
): Promise<void> {
  const file = await readKustomization(tree, directory);
  const text = file && readBelow(root, file.path);
  if (!text) return;
  const content = parseYaml(text.toString(), { file: file.path });
  if (isRecord(content)) writeBelow(root, file.path, dumpYaml(renameFiles(content, places)));
}
