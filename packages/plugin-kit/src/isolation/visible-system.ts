import { existsSync } from "node:fs";

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

/** What every sandbox shows read-only, and the folders within that look empty. */
export function visibleSystem(): { shown: readonly string[]; covered: readonly string[] } {
  return { shown: [...folders, ...settings], covered: secrets.filter((path) => existsSync(path)) };
}
