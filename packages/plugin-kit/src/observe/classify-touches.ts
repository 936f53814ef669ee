import { isWithin, joinWithin, parentOf } from "../paths.ts";
import type { Observed } from "../plugin.ts";
import type { Trace } from "./read-trace.ts";

/** The source as it was before the run. */
export interface ObservedSource {
  readonly root: string;
  /** The application's directory: it and those above it are there whatever happens. */
  readonly path: string;
  kindAt(path: string): "directory" | "file" | "symlink" | undefined;
  /** Target of a link of the source. */
  linkAt(path: string): string;
  /** Directories whose content is the run's own, or is known to the caller. */
  readonly known: readonly string[];
  /** Files that the plugin's identity covers. */
  readonly identified: readonly string[];
}

/** Where programs and their libraries are: the image, which is the plugin's identity. */
const system = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/opt",
  "/etc",
  "/proc",
  "/sys",
  "/dev",
  "/nix",
];
const maxReasons = 20;
const maxLinks = 40;

/**
 * What of the source a run depended on. Outside of it, system directories count as the plugin's program; other files
 * that were read, and the network, make it unobservable. The clock does not show: reading it is no system call.
 */
export function classifyTouches({ touches, network }: Trace, source: ObservedSource): Observed {
  const found = { read: new Set<string>(), listed: new Set<string>(), missed: new Set<string>() };
  const reasons = new Set(network.map((address) => `it spoke to ${address}`));
  const own = new Set<string>();
  for (const { act, path, found: isThere } of touches) {
    const absolute = joinWithin("", path);
    if (absolute === undefined) continue;
    const whole = `/${absolute}`;
    if (isWithin(source.root, whole)) {
      const inside = whole.slice(source.root.length + 1);
      noteInside(inside, act === "list", { source, found });
    } else if (act === "create") own.add(whole);
    else if (isThere && act !== "look" && act !== "execute" && !own.has(whole) && !isCovered(whole, source))
      reasons.add(`it ${act === "list" ? "listed" : "read"} ${whole}`);
  }
  return {
    read: [...found.read].sort(),
    listed: [...found.listed].sort(),
    missed: [...found.missed].sort(),
    unobservable: [...reasons].slice(0, maxReasons),
  };
}

interface Found {
  read: Set<string>;
  listed: Set<string>;
  missed: Set<string>;
}

function noteInside(
  path: string,
  isListed: boolean,
  { source, found }: { source: ObservedSource; found: Found },
): void {
  const end = followLinks(path, source, found.read);
  const kind = end === undefined ? undefined : source.kindAt(end);
  if (end === undefined || kind === undefined) {
    // Also what the run itself made: it was not there before.
    if (!isListed) found.missed.add(end ?? path);
  } else if (kind !== "directory") found.read.add(end);
  else if (isListed || !isWithin(end, source.path)) found.listed.add(end);
}

/** Links on the way count as read; nothing where they lead out or in a circle. */
function followLinks(path: string, source: ObservedSource, read: Set<string>): string | undefined {
  let rest = path.split("/").filter((part) => part !== "");
  let done = "";
  for (let links = 0; rest.length > 0; ) {
    const [name = "", ...after] = rest;
    const next = done === "" ? name : `${done}/${name}`;
    if (source.kindAt(next) !== "symlink") {
      done = next;
      rest = after;
      continue;
    }
    read.add(next);
    const target = joinWithin(parentOf(next), source.linkAt(next));
    if (target === undefined || ++links > maxLinks) return undefined;
    rest = [...target.split("/").filter((part) => part !== ""), ...after];
    done = "";
  }
  return done;
}

function isCovered(path: string, { known, identified }: ObservedSource): boolean {
  return [...system, ...known].some((directory) => isWithin(directory, path)) || identified.includes(path);
}
