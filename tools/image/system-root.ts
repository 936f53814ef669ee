import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Nobody reads them in the image. */
const surplus = [
  ...[
    "doc",
    "man",
    "locale",
    "info",
    "lintian",
    "bash-completion",
    "perl5",
    "gitweb",
    "bug",
    "common-licenses",
  ],
].map((name) => `usr/share/${name}`);

/** The user of the image, as Argo CD's: 999. */
const users: Readonly<Record<string, string>> = {
  passwd: "root:x:0:0:root:/root:/usr/sbin/nologin\nargocd:x:999:999:capstan:/data:/usr/sbin/nologin\n",
  group: "root:x:0:\nargocd:x:999:\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
};

/** What runs containers mounts there, and what packages lie in. */
const mountedOn = ["proc", "dev", "sys", "run", "tmp", "data", "token", "home/argocd/cmp-server/plugins"];
const written = ["usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "etc"];

/** Lays out what the packages bring; none of their scripts runs, so what these would write is written here. */
export async function layOutSystem(root: string, packages: readonly string[]): Promise<void> {
  for (const folder of [...mountedOn, ...written]) await mkdir(join(root, folder), { recursive: true });
  // As Debian's base has them since its 12th release (usrmerge).
  for (const name of ["bin", "sbin", "lib", "lib64"]) await symlink(`usr/${name}`, join(root, name));
  for (const file of packages) {
    const tar =
      'set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar --extract --keep-directory-symlink --no-same-owner --directory "$2"';
    await run("bash", ["-c", tar, "bash", file, root]);
  }
  for (const folder of surplus) await rm(join(root, folder), { recursive: true, force: true });
  await rm(join(root, "var"), { recursive: true, force: true });
  await mkdir(join(root, "var"));
  await symlink("../run", join(root, "var/run"));
  for (const [name, text] of Object.entries(users)) await writeFile(join(root, "etc", name), text);
  // update-ca-certificates would.
  const authorities = globSync(join(root, "usr/share/ca-certificates/mozilla/*.crt")).toSorted();
  const texts = await Promise.all(authorities.map((file) => readFile(file, "utf8")));
  await mkdir(join(root, "etc/ssl/certs"), { recursive: true });
  await writeFile(join(root, "etc/ssl/certs/ca-certificates.crt"), texts.join(""));
}
