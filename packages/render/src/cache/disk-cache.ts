import { hash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import { isRecord, parseJson, stringifyJson } from "@capstan/formats";
import { isManifest } from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";
import type { RenderedManifest } from "@capstan/wire";
import { holdsSecret } from "./holds-secret.ts";
import type { Rendering } from "./manifest-cache.ts";

/** Files of another version are removed: those without one held rendered Secrets. */
const version = "v2-";
const maxBytes = 2 ** 29;
const writesBetweenSweeps = 500;

/** Renderings that outlive the process; those with Secrets are not written. A file that does not match its own digest is as good as absent. */
export class DiskCache {
  readonly #dir: string;
  readonly #log: Log;
  readonly #clock: Clock;
  #writes = 0;

  static async open(options: { dir: string; log: Log; clock: Clock }): Promise<DiskCache> {
    await mkdir(options.dir, { recursive: true, mode: 0o700 });
    const cache = new DiskCache(options);
    await cache.#sweep();
    return cache;
  }

  private constructor({ dir, log, clock }: { dir: string; log: Log; clock: Clock }) {
    this.#dir = dir;
    this.#log = log;
    this.#clock = clock;
  }

  async read(key: string): Promise<{ rendering: Rendering; bytes: number } | undefined> {
    const path = this.#pathOf(key);
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    const body = text.slice(text.indexOf("\n") + 1);
    const rendering = text.startsWith(`${hash("sha256", body)}\n`)
      ? readRendering(parseJson(body))
      : undefined;
    if (!rendering) {
      this.#log.warn({ key }, "a damaged cache file is dropped");
      await rm(path, { force: true });
      return undefined;
    }
    const now = this.#clock.now() / 1000;
    await utimes(path, now, now); // what is used stays longest
    return { rendering, bytes: body.length };
  }

  async write(key: string, rendering: Rendering): Promise<void> {
    if (rendering.manifests.some(({ manifest }) => holdsSecret(manifest))) return;
    const body = stringifyJson(rendering);
    const path = this.#pathOf(key);
    const fresh = `${path}.${randomUUID()}.new`;
    try {
      await writeFile(fresh, `${hash("sha256", body)}\n${body}`, { mode: 0o600 });
      await rename(fresh, path);
      if (++this.#writes % writesBetweenSweeps === 0) await this.#sweep();
    } catch (error) {
      this.#log.warn({ key, error }, "a rendering could not be kept on disk");
    }
  }

  #pathOf(key: string): string {
    return join(this.#dir, `${version}${key}`);
  }

  /** Removes what was used longest ago until the rest fits, former versions, and halves of files that a kill left. */
  async #sweep(): Promise<void> {
    const files: { path: string; bytes: number; usedAt: number }[] = [];
    for (const name of await readdir(this.#dir)) {
      const path = join(this.#dir, name);
      if (name.endsWith(".new") || !name.startsWith(version)) await rm(path, { force: true });
      else {
        const { size: bytes, mtimeMs: usedAt } = await stat(path);
        files.push({ path, bytes, usedAt });
      }
    }
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of files.sort((left, right) => left.usedAt - right.usedAt)) {
      if (total <= maxBytes) return;
      await rm(path, { force: true });
      total -= bytes;
    }
  }
}

function readRendering(value: unknown): Rendering | undefined {
  if (!isRecord(value) || !Array.isArray(value.manifests) || !Array.isArray(value.commands)) return undefined;
  const manifests = value.manifests.filter(isRendered);
  const commands = value.commands.filter((command) => typeof command === "string");
  return manifests.length === value.manifests.length ? { manifests, commands } : undefined;
}

function isRendered(value: unknown): value is RenderedManifest {
  return isRecord(value) && isManifest(value.manifest) && typeof value.digest === "string";
}
