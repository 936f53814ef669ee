import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "@capstan/model";
import { writeImageRoot } from "./image-root.ts";

const run = promisify(execFile);
const limitMs = 60_000;

/** A container runtime that works: podman with images of its own, or the docker daemon that runs already. */
export interface ContainerRuntime extends AsyncDisposable {
  readonly name: "docker" | "podman";
  /** Variables by which the program finds it; PATH too. */
  readonly env: Readonly<Record<string, string>>;
  call(...args: readonly string[]): Promise<string>;
  /** Of a folder that is its whole file system; gone in the end. `changes`: lines of a Dockerfile. */
  createImage(name: string, root: string, changes: readonly string[]): Promise<void>;
}

export interface ContainerRuntimeOptions {
  /** Host and port of a registry without TLS. */
  readonly insecureRegistry?: string;
}

/** The reason where there is none that works. */
export async function openContainerRuntime(
  name: ContainerRuntime["name"],
  { insecureRegistry = "" }: ContainerRuntimeOptions = {},
): Promise<ContainerRuntime | { absent: string }> {
  if (!isInstalled(name)) return { absent: `${name} is not installed` };
  if (name === "docker") return open(name, async () => dockerEnv());
  const withDriver = (driver: string) => open(name, (dir) => podmanEnv(dir, { driver, insecureRegistry }));
  const usual = await withDriver("overlay");
  // Where file systems cannot be laid over each other.
  return "absent" in usual ? withDriver("vfs") : usual;
}

async function open(
  name: ContainerRuntime["name"],
  prepare: (dir: string) => Promise<Record<string, string>>,
): Promise<ContainerRuntime | { absent: string }> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), `capstan-${name}-`));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const env = await prepare(dir);
  const call = async (...args: readonly string[]): Promise<string> =>
    (await run(name, args, { env, timeout: limitMs })).stdout;
  const images: string[] = [];
  opened.defer(async () => {
    if (images.length > 0) await call("rmi", "--force", ...images);
  });
  const createImage: ContainerRuntime["createImage"] = async (image, root, changes) => {
    const archive = join(dir, `${images.length}.tar`);
    await run("tar", ["-C", root, "-cf", archive, "."]);
    await call("import", ...changes.flatMap((change) => ["--change", change]), archive, image);
    images.push(image);
    await rm(archive);
  };
  const problem = await tryOut(call, createImage, dir);
  if (problem !== undefined) return { absent: problem };
  const closing = opened.move();
  return { name, env, call, createImage, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

function isInstalled(program: string): boolean {
  const folders = (process.env.PATH ?? "").split(":").filter((folder) => folder !== "");
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** Why containers do not run here, in the runtime's own words. */
async function tryOut(
  call: ContainerRuntime["call"],
  createImage: ContainerRuntime["createImage"],
  dir: string,
): Promise<string | undefined> {
  const program = ["/usr/bin/true", "/bin/true"].find((path) => existsSync(path)) ?? "/bin/true";
  const root = join(dir, "try");
  const image = "localhost/capstan-test/try:v1";
  try {
    await writeImageRoot(root, { true: program });
    await createImage(image, root, ['ENTRYPOINT ["/bin/true"]']);
    await call("run", "--rm", "-i", "--network", "none", "--user", "nobody", image);
    return undefined;
  } catch (error) {
    return `containers do not run here: ${messageOf(error).trim().split("\n").slice(-2).join(" ")}`;
  }
}

function dockerEnv(): Record<string, string> {
  const { PATH = "", HOME = "/", DOCKER_HOST } = process.env;
  return { PATH, HOME, ...(DOCKER_HOST === undefined ? {} : { DOCKER_HOST }) };
}

/** Everything that podman keeps is in the folder; limits as low as a machine may demand of containers. */
async function podmanEnv(
  dir: string,
  { driver, insecureRegistry }: { driver: string; insecureRegistry: string },
): Promise<Record<string, string>> {
  const insecure = `[[registry]]\nlocation = "${insecureRegistry}"\ninsecure = true\n`;
  const engine = [
    ...['cgroup_manager = "cgroupfs"', 'events_logger = "none"', `tmp_dir = "${dir}/state"`],
    ...(isInstalled("runc") ? ['runtime = "runc"'] : []),
  ];
  const settings = {
    CONTAINERS_CONF: `[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n[engine]\n${engine.join("\n")}\n`,
    CONTAINERS_STORAGE_CONF: `[storage]\ndriver = "${driver}"\ngraphroot = "${dir}/images"\nrunroot = "${dir}/run"\n`,
    CONTAINERS_REGISTRIES_CONF: insecureRegistry === "" ? "" : insecure,
  };
  for (const [name, text] of Object.entries(settings)) await writeFile(join(dir, name), text);
  const paths = Object.keys(settings).map((name) => [name, join(dir, name)] as const);
  return { PATH: process.env.PATH ?? "", HOME: dir, ...Object.fromEntries(paths) };
}
