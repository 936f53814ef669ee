import { CapstanError } from "@capstan/model";
import { parentOf } from "./paths.ts";
import type { SourceTree, TreeEntry } from "./source-tree.ts";

/** As Linux has them (path_resolution(7)): links on one path, and bytes of a link's target. */
export const maxLinks = 40;
export const maxTargetBytes = 4_096;

/** What is needed of a tree to go its links. */
type Linked = Pick<SourceTree, "entry" | "read" | "size">;

/** Where a path of a tree ends, and what must be copied with it for the path to be readable in the copy. */
export interface Trace {
  /** Nothing when the path leads nowhere. */
  readonly entry: TreeEntry | undefined;
  /** The links on the way, and last the path behind them all, whether or not something is there. */
  readonly needed: string[];
  /** Directories that `..` leaves again: in a copy without them the path would lead nowhere. */
  readonly passed: string[];
}

/** The entry at a path with every link on the way followed, as a checkout would; nothing when nothing is there. */
export async function followLinks(tree: Linked, path: string): Promise<TreeEntry | undefined> {
  return (await traceLinks(tree, path)).entry;
}

/** The same, with what must be copied for it. */
export function traceLinks(tree: Linked, path: string): Promise<Trace> {
  return new Tracer(tree).trace("", path);
}

/** Where one link leads. Refused when that is outside of the tree, also where nothing is there. */
export async function traceLink(tree: Linked, link: TreeEntry): Promise<Trace> {
  return new Tracer(tree).trace(parentOf(link.path), link.path.slice(link.path.lastIndexOf("/") + 1));
}

/**
 * Goes a path part by part as the operating system does: a link's target is read where the link really stands, and
 * `..` leaves the directory that was really reached, never just the text before it. A link that is absolute or leaves
 * the tree is refused (Argo CD: util/app/path CheckOutOfBoundsSymlinks, which looks at the text alone).
 */
class Tracer {
  readonly #tree: Linked;
  readonly #links: string[] = [];
  readonly #passed: string[] = [];
  #done = "";
  #rest: string[] = [];
  /** What is there, until the path has left what exists. */
  #entry: TreeEntry | undefined;
  #last: { file: string; target: string } | undefined;

  constructor(tree: Linked) {
    this.#tree = tree;
  }

  async trace(from: string, path: string): Promise<Trace> {
    this.#done = from;
    this.#rest = partsOf(path);
    this.#entry = await this.#tree.entry(from);
    for (let part = this.#rest.shift(); part !== undefined; part = this.#rest.shift()) {
      if (part === "..") await this.#leave(path);
      else if (!(await this.#enter(part))) return this.#end(undefined);
    }
    return this.#end(this.#entry);
  }

  #end(entry: TreeEntry | undefined): Trace {
    return { entry, needed: [...this.#links, this.#done], passed: this.#passed };
  }

  async #leave(path: string): Promise<void> {
    if (this.#done === "") {
      if (this.#last) throw new CapstanError({ code: "SYMLINK_OUTSIDE", ...this.#last });
      throw new CapstanError({ code: "PATH_OUTSIDE", path });
    }
    const isThere = this.#entry?.kind === "directory";
    if (isThere) this.#passed.push(this.#done);
    this.#done = parentOf(this.#done);
    // Out of what does not exist there is no way back: what it would lead to must be inside all the same.
    this.#entry = isThere ? await this.#tree.entry(this.#done) : undefined;
  }

  /** Whether there are few enough links to go on. */
  async #enter(part: string): Promise<boolean> {
    const above = this.#done;
    this.#done = above === "" ? part : `${above}/${part}`;
    if (this.#entry?.kind !== "directory") {
      this.#entry = undefined;
      return true;
    }
    const found = await this.#tree.entry(this.#done);
    if (found?.kind !== "symlink") {
      this.#entry = found;
      return true;
    }
    if (this.#links.push(this.#done) > maxLinks) return false;
    const target = await readTarget(this.#tree, found);
    if (target === "") {
      this.#entry = undefined;
      return true;
    }
    this.#last = { file: found.path, target };
    this.#rest = [...partsOf(target), ...this.#rest];
    this.#done = above;
    return true;
  }
}

async function readTarget(tree: Linked, link: TreeEntry): Promise<string> {
  const bytes = await tree.size(link);
  if (bytes > maxTargetBytes)
    throw new CapstanError({
      code: "FILE_TOO_LARGE",
      file: `${link.path}, a symbolic link,`,
      bytes,
      limitBytes: maxTargetBytes,
    });
  const target = (await tree.read(link)).toString();
  if (target.startsWith("/") || target.includes("\0"))
    throw new CapstanError({ code: "SYMLINK_OUTSIDE", file: link.path, target });
  return target;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
