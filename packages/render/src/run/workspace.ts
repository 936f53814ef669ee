import { mkdir, mkdtemp, readdir, rm, stat, statfs, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CapstanError, type Clock } from "@capstan/model";
import {
  type Inputs,
  linkTarget,
  parentOf,
  type RenderContext,
  type SourceTree,
  type TreeEntry,
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

  static async create(
    context: RenderContext,
    inputs: Inputs,
    limits: WorkspaceLimits,
  ): Promise<DiskWorkspace> {
    const workspace = new DiskWorkspace(
      await mkdtemp(join(await fastTemp(), `${namePrefix}${process.pid}-`)),
      Object.keys(inputs.refs),
    );
    try {
      const budget = new Budget(limits);
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

  private constructor(top: string, refs: readonly string[]) {
    this.top = top;
    this.root = join(top, "repository");
    this.scratch = join(top, "scratch");
    this.home = join(this.scratch, "home");
    this.refs = Object.fromEntries(refs.map((name) => [name, join(top, "refs", name)]));
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

async function writeTree(
  tree: SourceTree,
  paths: readonly string[],
  { root, budget }: { root: string; budget: Budget },
): Promise<void> {
  const known = new Set<string>();
  const made = new Map<string, Promise<unknown>>();
  await mkdir(root, { recursive: true });
  const makeParent = (file: string) => {
    const parent = dirname(file);
    const making = made.get(parent) ?? mkdir(parent, { recursive: true });
    made.set(parent, making);
    return making;
  };
  const write = async (entry: TreeEntry): Promise<string | undefined> => {
    const file = join(root, entry.path);
    await makeParent(file);
    if (entry.kind === "symlink") return writeLink(tree, entry, file);
    const data = await tree.read(entry);
    budget.add(entry.path, data.length);
    await writeFile(file, data, { mode: entry.kind === "executable" ? 0o755 : 0o644 });
    return undefined;
  };
  let waiting = paths;
  while (waiting.length > 0) {
    const fresh: TreeEntry[] = [];
    for (const path of waiting)
      for (const entry of await walk(tree, path)) {
        if (entry.kind === "submodule" || known.has(entry.path)) continue;
        known.add(entry.path);
        fresh.push(entry);
      }
    budget.count(fresh.length);
    const targets: string[] = [];
    for (let at = 0; at < fresh.length; at += writesAtOnce) {
      const written = await Promise.allSettled(fresh.slice(at, at + writesAtOnce).map(write));
      for (const one of written) {
        if (one.status === "rejected") throw one.reason;
        if (one.value !== undefined) targets.push(one.value);
      }
    }
    waiting = targets;
  }
}

/** Writes a link that stays within the repository and gives what must be there for it to lead somewhere. */
async function writeLink(tree: SourceTree, entry: TreeEntry, file: string): Promise<string> {
  let target = await linkTarget(tree, entry);
  await symlink((await tree.read(entry)).toString(), file);
  // A target may lie behind a further link: that one then brings the rest.
  while (target !== "" && !(await tree.entry(target))) target = parentOf(target);
  return target;
}

class Budget {
  readonly #limits: WorkspaceLimits;
  #bytes = 0;
  #files = 0;

  constructor(limits: WorkspaceLimits) {
    this.#limits = limits;
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
