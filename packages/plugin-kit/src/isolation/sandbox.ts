import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../paths.ts";
import { coveredOfSystem, isOfSystem, systemArguments } from "./visible-system.ts";

/** bubblewrap as it works on this machine (probe-sandbox.ts finds out). */
export interface Sandbox {
  readonly bwrap: string;
  /** Of util-linux, where the process is root and may change users: a command then is no longer root. */
  readonly setpriv?: string;
  /** A user namespace of its own: for who is not root, or is in a sandbox already. */
  readonly hasOwnUser: boolean;
  /**
   * Of the user namespace: the number that this process's user has there; absent: the same. Who is not 0 there may
   * open sandboxes within (user_namespaces(7): 0 is mapped only by who may set file capabilities).
   */
  readonly user?: number;
  /**
   * `own`: only the sandbox's processes are in /proc. `outer`: the /proc around it is shown, read-only: within another
   * sandbox of root the kernel permits no other. Processes of other user namespaces are closed to it all the same.
   */
  readonly proc: "own" | "outer";
}

/** What a program in a sandbox sees, writes and reaches. Paths are absolute; what is not there is left out. */
export interface SandboxView {
  readonly cwd: string;
  /** Files and folders beside the system's programs. */
  readonly readable: readonly string[];
  /** Files and folders, also within `readable` and `hidden`. */
  readonly writable: readonly string[];
  /** Folders within `readable` that look empty; what is readable or writable within them is shown nevertheless. */
  readonly hidden?: readonly string[];
  /** Stands for /tmp; absent: an empty folder in memory. */
  readonly scratch?: string;
  /** With the network the loopback and abstract sockets of this machine are reached too. */
  readonly network: boolean;
  /** Where the process is root: whose user the program runs as; absent: nobody's. It must own what is writable. */
  readonly owner?: number;
}

/** nobody */
const defaultOwner = 65_534;
/** What every sandbox has of its own. */
const own = /^\/(?:$|proc(?:\/|$)|sys(?:\/|$)|dev(?!\/shm\/)(?:\/|$)|tmp$)/;
const devices = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);
const standardLinks = [
  ["/proc/self/fd", "/dev/fd"],
  ...["stdin", "stdout", "stderr"].map((name, fd) => [`/proc/self/fd/${fd}`, `/dev/${name}`]),
];
/** What is needed to enter a folder that is closed to root, and to change users; none is kept after that. */
const capabilitiesForSetpriv = ["CAP_DAC_READ_SEARCH", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"];

/**
 * What stands before a program's own argv: own user, processes, IPC, host name and, unless `network`, network; no
 * capability, no way to gain one, no terminal, six devices, and of the file system what the view says and the system's
 * programs. All that the program starts ends with it, and it ends with the process that started it.
 */
export function sandboxArguments(view: SandboxView, sandbox: Sandbox): string[] {
  const { cwd, scratch, network } = view;
  return [
    sandbox.bwrap,
    ...["--die-with-parent", "--new-session"],
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(sandbox.hasOwnUser ? ["--unshare-user", ...insideUser(sandbox)] : []),
    ...(network ? [] : ["--unshare-net"]),
    ...["--cap-drop", "ALL"],
    ...(sandbox.setpriv === undefined ? [] : capabilitiesForSetpriv.flatMap((one) => ["--cap-add", one])),
    ...(sandbox.proc === "own" ? ["--proc", "/proc"] : ["--ro-bind", "/proc", "/proc"]),
    ...["--tmpfs", "/dev", ...devices.flatMap((path) => ["--dev-bind", path, path])],
    ...standardLinks.flatMap(([target = "", link = ""]) => ["--symlink", target, link]),
    ...["--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...(scratch === undefined ? ["--perms", "1777", "--tmpfs", "/tmp"] : ["--bind", scratch, "/tmp"]),
    ...shownFiles(view),
    ...["--remount-ro", "/", "--chdir", cwd, "--"],
    ...userArguments(view, sandbox),
  ];
}

function insideUser({ user }: Sandbox): string[] {
  return user === undefined ? [] : ["--uid", String(user), "--gid", String(user)];
}

/** Outer folders before inner ones, so that nothing covers what is within it. */
function shownFiles(view: SandboxView): string[] {
  const { writable, hidden = [] } = view;
  const covered = coveredOfSystem();
  const more = withoutSeen(view).filter((path) => !isOfSystem(path));
  const inMore = hidden.filter((path) => more.some((one) => isWithin(one, path)) && existsSync(path));
  const mounts = [
    ...more.map((path) => ["--ro-bind-try", path, path] as const),
    ...inMore.map((path) => ["--tmpfs", path] as const),
    ...writable.map((path) => ["--bind-try", path, path] as const),
  ].filter(([, path]) => path.startsWith("/") && !own.test(path));
  const parents = parentsOf(["/etc/x", ...mounts.map(([, path]) => path)]);
  // What is covered has none of the directories that were made before.
  const within = (cover: string) => parents.filter((path) => path !== cover && isWithin(cover, path));
  return [
    ...parents.flatMap(openDirectory),
    ...systemArguments(!mounts.some(([, path]) => isWithin("/etc", path))),
    ...covered.flatMap((path) => ["--tmpfs", path, ...within(path).flatMap(openDirectory)]),
    ...mounts
      .toSorted(([, left], [, right]) => left.length - right.length)
      .flatMap((mount) =>
        mount[0] === "--tmpfs" ? [...mount, ...within(mount[1]).flatMap(openDirectory)] : mount,
      ),
  ];
}

/**
 * Without what a folder around it shows already: a link within that folder (a program of a PATH folder) is no place for
 * a mount.
 */
function withoutSeen({ readable: seen, writable, hidden = [] }: SandboxView): string[] {
  // For each mount bubblewrap reads the list of all mounts: it does nothing else for as long.
  const readable = [...new Set(seen)];
  const isBetween = (outer: string, inner: string) =>
    [...hidden, ...writable].some((path) => isWithin(outer, path) && isWithin(path, inner));
  return readable.filter(
    (path) =>
      !readable.some((one) => one !== path && isWithin(one, path) && !own.test(one) && !isBetween(one, path)),
  );
}

/** bubblewrap makes what a mount stands in for root alone: whoever is another user could not say `cd ..`. */
function openDirectory(path: string): string[] {
  return ["--perms", "755", "--dir", path];
}

/** Outer ones first; not those of the system, which are mounted as they are. */
function parentsOf(paths: readonly string[]): string[] {
  const parents = new Set<string>();
  for (const path of paths)
    for (let at = dirname(path); at !== "/" && at !== "."; at = dirname(at)) parents.add(at);
  return [...parents]
    .filter((path) => !isOfSystem(path))
    .toSorted((left, right) => left.length - right.length);
}

function userArguments({ owner = defaultOwner }: SandboxView, { setpriv }: Sandbox): string[] {
  return setpriv === undefined ? [] : [...otherUser(setpriv, owner), "--"];
}

/** Another user, with no group, no capability and no way to gain one. */
export function otherUser(setpriv: string, owner: number): string[] {
  const ids = [`--reuid=${owner}`, `--regid=${owner}`, "--clear-groups"];
  return [setpriv, ...ids, "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
}
