import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { CapstanError } from "@capstan/model";
import { maxLinks } from "../follow-links.ts";

/** What a path below a root leads to. */
export interface Place {
  /** For the operating system: names the thing in the directory that was reached, whatever happens to that one's name. */
  readonly at: string;
  /** From the root, without links and without `..`; "" is the root. */
  readonly path: string;
}

export interface WayOptions {
  /** Makes directories that are missing; default false. */
  readonly make?: boolean;
  /** The place itself may be a link, and is not followed; default false. */
  readonly keepLast?: boolean;
}

interface Step {
  readonly name: string;
  readonly fd: number;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const directoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
/** Where open directories have paths, a name is looked up in one that is held. */
const held = "/proc/self/fd";
const canHold = existsSync(held);

/**
 * Goes a path below a root as openat2(2) with RESOLVE_BENEATH does, and hands what it leads to to `use`: each part is
 * opened in the directory before it, links are read and gone in turn, and what is absolute or leaves the root is
 * refused. Each directory on the way is held open until `use` has ended, so that a program which runs beside and puts
 * a link in the place of one changes nothing. Without /proc, as on macOS, each part is looked at instead. What is
 * missing throws ENOENT; `use` must itself open with O_NOFOLLOW.
 */
export function goBelow<Value>(
  root: string,
  path: string,
  { make = false, keepLast = false, use }: WayOptions & { use(place: Place): Value },
): Value {
  const way = new Way(root, path);
  try {
    const rest = partsOf(path);
    let links = 0;
    for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
      if (part === "..") {
        way.leave();
        continue;
      }
      const isLast = rest.length === 0;
      const target = isLast && keepLast ? undefined : way.linkAt(part);
      if (target !== undefined) {
        if (++links > maxLinks) throw way.refused("its links lead in circles");
        rest.unshift(...partsOf(target));
      } else if (isLast) return use(way.placeOf(part));
      else way.enter(part, make);
    }
    return use(way.placeOf("."));
  } finally {
    way.close();
  }
}

class Way {
  readonly #root: string;
  readonly #asked: string;
  readonly #steps: Step[] = [];
  readonly #rootFd: number;
  #last: { file: string; target: string } | undefined;

  constructor(root: string, asked: string) {
    this.#root = root;
    this.#asked = asked;
    if (asked.startsWith("/") || asked.includes("\0"))
      throw new CapstanError({ code: "PATH_OUTSIDE", path: asked });
    this.#rootFd = openSync(root, directoryFlags);
  }

  placeOf(name: string): Place {
    const names = this.#steps.map((step) => step.name);
    const path = name === "." ? names.join("/") : [...names, name].join("/");
    return { at: this.#at(name), path };
  }

  linkAt(name: string): string | undefined {
    const at = this.#at(name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (!found?.isSymbolicLink()) return undefined;
    const target = readlinkSync(at);
    const file = this.placeOf(name).path;
    if (target.startsWith("/")) throw new CapstanError({ code: "SYMLINK_OUTSIDE", file, target });
    this.#last = { file, target };
    return target;
  }

  enter(name: string, make: boolean): void {
    const at = this.#at(name);
    if (make && !lstatSync(at, { throwIfNoEntry: false })) mkdirSync(at);
    this.#steps.push({ name, fd: openSync(at, directoryFlags) });
  }

  leave(): void {
    const step = this.#steps.pop();
    if (step) closeSync(step.fd);
    else if (this.#last) throw new CapstanError({ code: "SYMLINK_OUTSIDE", ...this.#last });
    else throw new CapstanError({ code: "PATH_OUTSIDE", path: this.#asked });
  }

  refused(problem: string): CapstanError {
    return new CapstanError({ code: "FAILED_PRECONDITION", what: this.#asked, problem });
  }

  close(): void {
    for (const { fd } of this.#steps) closeSync(fd);
    closeSync(this.#rootFd);
  }

  #at(name: string): string {
    if (canHold) return `${held}/${this.#steps.at(-1)?.fd ?? this.#rootFd}/${name}`;
    return join(this.#root, ...this.#steps.map((step) => step.name), name);
  }
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
