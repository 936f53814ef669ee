import { existsSync } from "node:fs";
import { join } from "node:path";

/** A program that tests use where Debian's package is installed; none is built here. */
export interface DebianProgram {
  readonly program: string;
  readonly package: string;
  readonly wantedBy: string;
}

export const debianPrograms: readonly DebianProgram[] = [
  { program: "redis-server", package: "redis-server", wantedBy: "the real Argo CD" },
  { program: "sshd", package: "openssh-server", wantedBy: "git over ssh" },
  { program: "gpg", package: "gnupg", wantedBy: "signed commits and sops with PGP" },
  { program: "bwrap", package: "bubblewrap", wantedBy: "isolation of plugins" },
  { program: "podman", package: "podman", wantedBy: "kpt's functions in containers" },
  { program: "runc", package: "runc", wantedBy: "podman where crun does not work" },
  { program: "strace", package: "strace", wantedBy: "inputs by observation" },
];

/** sshd lies outside the PATH of many who are not root. */
const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];

export const lackingDebianPrograms = (): readonly DebianProgram[] =>
  debianPrograms.filter(({ program }) => !folders.some((folder) => existsSync(join(folder, program))));
