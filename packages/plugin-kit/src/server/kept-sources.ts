import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import { ObjectFetcher } from "../store/object-fetcher.ts";
import { ObjectStore } from "../store/object-store.ts";
import { type Lease, TreePool } from "../store/tree-pool.ts";
import type { ServiceSettings } from "./stock-service.ts";

const repositoryVariable = "ARGOCD_APP_SOURCE_REPO_URL";
const storeBytes = 256 * 2 ** 20;
const maxIdleDirectories = 16;

export interface SourceOptions {
  readonly preserveFileMode: boolean;
  /** Own user of the repository's commands, if they have one. */
  readonly owner?: number;
  readonly signal: AbortSignal;
  readonly want: (ids: readonly string[]) => Promise<void>;
}

export interface OpenedSources {
  readonly root: Lease;
  readonly refs: Readonly<Record<string, Lease>>;
  all(): Lease[];
}

/** What is kept between runs: objects in memory, and directories that need only the difference. */
export class KeptSources {
  readonly #settings: ServiceSettings;
  readonly #store = new ObjectStore(storeBytes);
  readonly #pool: TreePool;

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
    this.#pool = new TreePool({
      base: settings.directories.base,
      maxIdle: maxIdleDirectories,
      log: settings.log,
      clock: settings.clock,
    });
  }

  fetcher(start: pluginV1.Start, want: SourceOptions["want"]): ObjectFetcher {
    const { limits, clock } = this.#settings;
    const { maxTreeBytes: maxBytes } = limits;
    return new ObjectFetcher({ store: this.#store, scope: start.project, want, maxBytes, clock });
  }

  async open(
    start: pluginV1.Start,
    objects: ObjectFetcher,
    { preserveFileMode, owner, signal }: Pick<SourceOptions, "preserveFileMode" | "owner" | "signal">,
  ): Promise<OpenedSources> {
    const { maxTreeBytes: maxBytes, maxTreeFiles: maxFiles } = this.#settings.limits;
    const get = (id: string, format: string) => objects.get(id, format);
    const key = `${start.project} ${start.env.findLast(({ name }) => name === repositoryVariable)?.value ?? ""}`;
    const leases: Lease[] = [];
    const lease = async (tree: pluginV1.Tree, name: string) => {
      const wanted = { id: tree.id, format: tree.idFormat, paths: tree.paths };
      const like = { key: `${key} ${name}`, ...(owner === undefined ? {} : { owner }) };
      const found = await this.#pool.lease(wanted, like, {
        get,
        preserveFileMode,
        maxBytes,
        maxFiles,
        signal,
      });
      leases.push(found);
      return found;
    };
    try {
      const root = await lease(start.tree ?? emptyTree, "");
      const refs: Record<string, Lease> = {};
      for (const [name, tree] of Object.entries(start.refs)) refs[name] = await lease(tree, name);
      return { root, refs, all: () => leases };
    } catch (error) {
      for (const one of leases) await one.discard();
      throw error;
    }
  }
}

const emptyTree: pluginV1.Tree = { $typeName: "capstan.plugin.v1.Tree", id: "", idFormat: "", paths: [] };
