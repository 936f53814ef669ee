import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** As OCI and Debian both call them. */
export type Architecture = "amd64" | "arm64";

/** By architecture and name: the version. */
export type PinnedPackages = Readonly<Record<Architecture, Readonly<Record<string, string>>>>;

export const pinsFile = join(import.meta.dirname, "..", "..", "deploy", "image", "packages.json");

/** What the programs call, and what Node is linked to. */
const wanted = [
  ...["git", "openssh-client", "gpg", "gpg-agent", "bubblewrap", "ca-certificates", "util-linux"],
  ...["coreutils", "dash", "sed", "libc6", "libstdc++6", "libatomic1", "tzdata"],
];

/** They come with those, for work that nobody does in the image: configuring packages, logging in, Git's Perl scripts. */
const unwanted =
  /^(?:perl.*|libperl.*|lib.*-perl|init-system-helpers|git-man|debconf|passwd|adduser|libpam.*|libsemanage.*|libsepol.*|libaudit.*|libcap-ng.*|pinentry-.*|openssl|dpkg|tar|login.*|libgdbm.*|libdb5.*|gcc-12-base|readline-common|libc-bin|util-linux-extra|debianutils)$/;

const limitMs = 300_000;

export async function readPins(): Promise<PinnedPackages> {
  return JSON.parse(await readFile(pinsFile, "utf8"));
}

/** apt of this machine, with its sources and keys, for packages of any architecture and as if none were installed. */
export interface Apt extends AsyncDisposable {
  /** Names and versions of all that the image has. */
  resolve(): Promise<Record<string, string>>;
  /** The files of packages, each checked by apt against what its source has signed. */
  download(packages: Readonly<Record<string, string>>): Promise<string[]>;
}

export async function openApt(architecture: Architecture): Promise<Apt> {
  if (!existsSync("/usr/bin/apt-get"))
    throw new Error(
      "the image's programs are Debian's, and apt-get is not here: make it on Debian 12, or in a container of it",
    );
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "capstan-apt-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  for (const part of ["lists/partial", "cache/archives/partial", "files"])
    await mkdir(join(folder, part), { recursive: true });
  await writeFile(join(folder, "status"), "");
  const settings = {
    "APT::Architecture": architecture,
    "APT::Architectures": architecture,
    "APT::Install-Recommends": "false",
    // Root reads what it made itself: as another user it may not.
    "APT::Sandbox::User": "root",
    "Dir::State::status": join(folder, "status"),
    "Dir::State::lists": join(folder, "lists"),
    "Dir::Cache": join(folder, "cache"),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  const call = async (...words: string[]): Promise<string> => {
    const options = { cwd: join(folder, "files"), timeout: limitMs, maxBuffer: 20_000_000 };
    const env = { PATH: process.env.PATH, LC_ALL: "C.UTF-8", DEBIAN_FRONTEND: "noninteractive" };
    return (await run("apt-get", [...flags, ...words], { ...options, env })).stdout;
  };
  await call("update");
  const closing = opened.move();
  return {
    resolve: async () => readPlan(await call("--simulate", "install", ...wanted)),
    async download(packages) {
      await call("download", ...Object.entries(packages).map(([name, version]) => `${name}=${version}`));
      return (await readdir(join(folder, "files"))).toSorted().map((name) => join(folder, "files", name));
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** `Inst name (version source …)` a line. */
function readPlan(text: string): Record<string, string> {
  const found = [...text.matchAll(/^Inst (\S+) \((\S+) /gm)].map(
    ([, name = "", version = ""]) => [name, version] as const,
  );
  const kept = found.filter(([name]) => !unwanted.test(name));
  return Object.fromEntries(kept.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
