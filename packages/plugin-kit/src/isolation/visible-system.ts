import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { preparedSettings } from "./system-settings.ts";

/** Programs and libraries of this machine; no folder in which services have sockets. */
const folders = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["/nix/store", "/nix/var/nix/profiles", "/run/current-system"],
];

/** Of /etc what programs need to find libraries, names, authorities and the time; nothing that is anybody's own. */
const settings = [
  ...["alternatives", "bash.bashrc", "ca-certificates", "ca-certificates.conf", "crypto-policies", "fonts"],
  ...["gai.conf", "group", "host.conf", "hosts", "inputrc", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"],
  ...["localtime", "magic", "mime.types", "mtab", "nsswitch.conf", "os-release", "passwd", "perl", "pki"],
  ...["profile", "protocols", "resolv.conf", "services", "ssl", "static", "terminfo", "timezone"],
  ...["ld-musl-x86_64.path", "ld-musl-aarch64.path", "java", "python3"],
].map((name) => `/etc/${name}`);

/** Private keys among them, which only root and its group may read. */
const secrets = ["/etc/ssl/private", "/etc/pki/tls/private"];

const shown: ReadonlySet<string> = new Set([...folders, ...settings]);

/** Whether every sandbox shows it read-only. Asked of each of the machine's programs. */
export function isOfSystem(path: string): boolean {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/"))))
    if (shown.has(at)) return true;
  return false;
}

/** Folders within that which look empty. */
export function coveredOfSystem(): string[] {
  return secrets.filter((path) => existsSync(path));
}

/** bubblewrap's arguments for what is shown. `isBare`: nothing else is mounted within /etc. */
export function systemArguments(isBare: boolean): string[] {
  const etc = isBare ? preparedSettings(settings) : undefined;
  const mounts = folders.flatMap((path) => linkArguments(path) ?? ["--ro-bind-try", path, path]);
  if (etc === undefined) return [...mounts, ...settings.flatMap((path) => ["--ro-bind-try", path, path])];
  const within = etc.mounted.flatMap((path) => ["--ro-bind-try", path, path]);
  return [...mounts, "--ro-bind", etc.folder, "/etc", ...within];
}

/** Where /bin and the like are links into /usr, they are so within. */
function linkArguments(path: string): string[] | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  const target = readlinkSync(path);
  return /^\/?usr\/[\w/-]+$/.test(target) ? ["--symlink", target, path] : undefined;
}
