import { mkdir, mkdtemp, readdir, rm, stat, statfs, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import {
  type Inputs,
  type RenderContext,
  type SourceTree,
  type TreeEntry,
  traceLink,
  type WalkLimits,
  type Workspace,
  walk,
} from "@capstan/plugin-kit";

export interface WorkspaceLimits {
  maxBytes: number;
  maxFiles: number;
}

const shm = "/dev/shm";
const enoughBytes = 2 ** 30;
const namePrefix = "capstan-render-";
/** Processes of other containers cannot be seen: what is young may be theirs. */
const leftAfterMs = 10 * 60_000;

/** A private copy of the inputs, written from stored objects. */
export class DiskWorkspace implements Workspace {
  readonly root: string;
  readonly scratch: string;
  /** HOME of what runs in it. */
  readonly home: string;
  readonly refs: Readonly<Record<string, string>>;
  /** All that belongs to it. */
  readonly top: string;
  readonly #budget: Budget;
  #laidOut = 0;

  static async create(
    context: RenderContext,
    inputs: Inputs,
    limits: WorkspaceLimits,
  ): Promise<DiskWorkspace> {
    const workspace = new DiskWorkspace(
      await mkdtemp(join(await fastTemp(), `${namePrefix}${process.pid}-`)),
      Object.keys(inputs.refs),
      new Budget(limits),
    );
    try {
      const budget = workspace.#budget;
      await mkdir(workspace.home, { recursive: true });
      await writeTree(context.tree, inputs.paths, { root: workspace.root, budget });
      for (const [name, paths] of Object.entries(inputs.refs)) {
        const [tree, root] = [context.refs[name], workspace.refs[name]];
        if (tree && root) await writeTree(tree, paths, { root, budget });
      }
      return workspace;
    } catch (error) {
      await workspace.remove();
      throw error;
    }
  }

  private constructor(top: string, refs: readonly string[], budget: Budget) {
    this.top = top;
    this.#budget = budget;
    this.root = join(top, "repository");
    this.scratch = join(top, "scratch");
    this.home = join(this.scratch, "home");
    this.refs = Object.fromEntries(refs.map((name) => [name, join(top, "refs", name)]));
  }

  /** Within the limits of all that is here. */
  async layOut(tree: SourceTree, paths: readonly string[]): Promise<string> {
    const root = join(this.scratch, `elsewhere-${this.#laidOut++}`);
    await writeTree(tree, paths, { root, budget: this.#budget });
    return root;
  }

  async remove(): Promise<void> {
    await rm(this.top, { recursive: true, force: true });
  }
}

/** Removes the copies of processes that were killed. */
export async function removeLeftWorkspaces(clock: Clock): Promise<void> {
  for (const folder of new Set([shm, tmpdir()])) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.startsWith(namePrefix) || isRunning(Number.parseInt(name.slice(namePrefix.length), 10)))
        continue;
      const path = join(folder, name);
      const age = await stat(path).then(
        ({ mtimeMs }) => clock.now() - mtimeMs,
        () => 0,
      );
      if (age > leftAfterMs) await rm(path, { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Memory where the machine has some to spare: creating files on disks is slow. */
async function fastTemp(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(shm);
    return bavail * bsize >= enoughBytes ? shm : tmpdir();
  } catch {
    return tmpdir();
  }
}

const writesAtOnce = 16;

/**
 * Writes what is wanted of a tree, and what its links lead to. Links come last: until all files are there, no path goes
 * through one. Since each is gone through the tree that is written here, it leads in the copy to where it leads there.
 */
async function writeTree(
  tree: SourceTree,
  paths: readonly string[],
  { root, budget }: { root: string; budget: Budget },
): Promise<void> {
  const { files, links, directories } = await findWanted(tree, paths, budget);
  const made = new Map<string, Promise<unknown>>();
  await mkdir(root, { recursive: true });
  const make = (directory: string) => {
    const making = made.get(directory) ?? mkdir(directory, { recursive: true });
    made.set(directory, making);
    return making;
  };
  const write = async (entry: TreeEntry) => {
    const file = join(root, entry.path);
    await make(dirname(file));
    const data = await tree.read(entry);
    budget.add(entry.path, data.length);
    await writeFile(file, data, { mode: entry.kind === "executable" ? 0o755 : 0o644, flag: "wx" });
  };
  for (const directory of directories) await make(join(root, directory));
  for (let at = 0; at < files.length; at += writesAtOnce) {
    const written = await Promise.allSettled(files.slice(at, at + writesAtOnce).map(write));
    for (const one of written) if (one.status === "rejected") throw one.reason;
  }
  for (const link of links) await make(dirname(join(root, link.path)));
  for (const link of links) {
    const target = (await tree.read(link)).toString();
    if (target !== "") await symlink(target, join(root, link.path));
  }
}

interface Wanted {
  readonly files: TreeEntry[];
  readonly links: TreeEntry[];
  /** That only links go through. */
  readonly directories: ReadonlySet<string>;
}

async function findWanted(tree: SourceTree, paths: readonly string[], budget: Budget): Promise<Wanted> {
  const known = new Set<string>();
  const walked = new Set<string>();
  const wanted = { files: [] as TreeEntry[], links: [] as TreeEntry[], directories: new Set<string>() };
  for (let waiting = paths; waiting.length > 0; ) {
    const next: string[] = [];
    for (const path of waiting) {
      if (walked.has(path)) continue;
      walked.add(path);
      for (const entry of await walk(tree, path, budget.walkLimits)) {
        if (entry.kind === "submodule" || known.has(entry.path)) continue;
        known.add(entry.path);
        budget.count(1);
        (entry.kind === "symlink" ? wanted.links : wanted.files).push(entry);
        if (entry.kind !== "symlink") continue;
        const { needed, passed } = await traceLink(tree, entry);
        next.push(...needed);
        for (const directory of passed) wanted.directories.add(directory);
      }
    }
    waiting = next;
  }
  return wanted;
}

class Budget {
  readonly #limits: WorkspaceLimits;
  #bytes = 0;
  #files = 0;

  constructor(limits: WorkspaceLimits) {
    this.#limits = limits;
  }

  /** Directories are entries too, and there may be as many. */
  get walkLimits(): WalkLimits {
    return { maxEntries: 2 * this.#limits.maxFiles + 1_000 };
  }

  count(files: number): void {
    this.#files += files;
    const { maxFiles } = this.#limits;
    if (this.#files <= maxFiles) return;
    const problem = `rendering needs more than ${maxFiles} files. Point it at a smaller directory`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.path", problem });
  }

  add(path: string, bytes: number): void {
    this.#bytes += bytes;
    const { maxBytes } = this.#limits;
    if (this.#bytes > maxBytes)
      throw new CapstanError({ code: "TREE_TOO_LARGE", path, bytes: this.#bytes, limitBytes: maxBytes });
  }
}
