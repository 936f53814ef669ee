import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** As OCI and Debian both call them. */
export type Architecture = "amd64" | "arm64";

export interface Pin {
  readonly version: string;
  /** Of the package's file. */
  readonly sha256: string;
}

export type Pins = Readonly<Record<string, Pin>>;

export interface PinnedPackages {
  /** A moment at which Debian had all of them, as snapshot.debian.org calls it. */
  readonly snapshot: string;
  /** By name. */
  readonly packages: Readonly<Record<Architecture, Pins>>;
}

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

/** apt of this machine, with its keys, for packages of any architecture and as if none were installed. */
export interface Apt extends AsyncDisposable {
  /** All that the image has. */
  resolve(): Promise<Pins>;
  /** The files of packages, each checked by apt against what its source has signed, and here against its pin. */
  download(packages: Pins): Promise<string[]>;
}

/** Archives that have kept all that Debian ever had; what they give is signed by Debian. */
export const snapshots = "http://snapshot.debian.org/archive";

/** `at`: Debian as it was then, from `archive`; default: from the sources of this machine. */
export async function openApt(
  architecture: Architecture,
  { archive = snapshots, at }: { archive?: string; at?: string | undefined } = {},
): Promise<Apt> {
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
  if (at !== undefined) await writeFile(join(folder, "sources.list"), sourcesAt(archive, at));
  const settings = {
    ...(at === undefined ? {} : asOf(join(folder, "sources.list"))),
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
  const call = async (words: readonly string[], program = "apt-get"): Promise<string> => {
    const options = { cwd: join(folder, "files"), timeout: limitMs, maxBuffer: 20_000_000 };
    const env = { PATH: process.env.PATH, LC_ALL: "C.UTF-8", DEBIAN_FRONTEND: "noninteractive" };
    return (await run(program, [...flags, ...words], { ...options, env })).stdout;
  };
  await call(["update"]);
  const closing = opened.move();
  return {
    async resolve() {
      const plan = readPlan(await call(["--simulate", "install", ...wanted]));
      return readParagraphs(await call(["show", ...plan], "apt-cache"));
    },
    async download(packages) {
      await call([
        "download",
        ...Object.entries(packages).map(([name, { version }]) => `${name}=${version}`),
      ]);
      const names = (await readdir(join(folder, "files"))).toSorted();
      for (const name of names) await checkFile(join(folder, "files", name), packages);
      return names.map((name) => join(folder, "files", name));
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

export function sourcesAt(archive: string, at: string): string {
  const keys = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]";
  const source = (name: string, suite: string) => `deb ${keys} ${archive}/${name}/${at} ${suite} main\n`;
  const suites = ["bookworm", "bookworm-updates"].map((suite) => source("debian", suite));
  return [...suites, source("debian-security", "bookworm-security")].join("");
}

/** What was signed once is believed after its time: what is fetched is known by its digest. */
const asOf = (sources: string) => ({
  "Dir::Etc::sourcelist": sources,
  "Dir::Etc::sourceparts": "-",
  "Acquire::Check-Valid-Until": "false",
});

/** `Inst name (version source …)` a line: `name=version`. */
function readPlan(text: string): string[] {
  const found = [...text.matchAll(/^Inst (\S+) \((\S+) /gm)];
  return found
    .filter(([, name = ""]) => !unwanted.test(name))
    .map(([, name, version]) => `${name}=${version}`)
    .toSorted();
}

/** Of `apt-cache show`: a paragraph for each. */
function readParagraphs(text: string): Pins {
  const field = (of: string, name: string) => new RegExp(`^${name}: (\\S+)$`, "m").exec(of)?.[1] ?? "";
  const pins = text
    .trim()
    .split("\n\n")
    .map(
      (one) =>
        [field(one, "Package"), { version: field(one, "Version"), sha256: field(one, "SHA256") }] as const,
    );
  return Object.fromEntries(pins);
}

/** The file of a package, by its name. */
export async function checkFile(path: string, packages: Pins): Promise<void> {
  const [name = ""] = basename(path).split("_");
  const sha256 = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  const pin = packages[name];
  if (pin?.sha256 !== sha256)
    throw new Error(
      `${basename(path)} is another file than the pinned one: ${sha256}, and not ${pin?.sha256}`,
    );
}
