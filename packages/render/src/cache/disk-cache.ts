import { hash } from "node:crypto";
import type { Clock } from "@capstan/flow";
import { isRecord, parseJson, stringifyJson } from "@capstan/formats";
import { isManifest } from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";
import type { RenderedManifest } from "@capstan/wire";
import { holdsSecret } from "./holds-secret.ts";
import { KeptFiles } from "./kept-files.ts";
import type { Rendering } from "./manifest-cache.ts";

/** Files of another version are removed: those without one held rendered Secrets, v2 what was made of others' Secrets. */
const prefix = "v3-";
const maxBytes = 2 ** 29;
const writesBetweenSweeps = 500;

/** Renderings that outlive the process; those with Secrets are not written. A file that does not match its own digest is as good as absent. */
export class DiskCache {
  readonly #files: KeptFiles;
  readonly #log: Log;

  static async open({ dir, log, clock }: { dir: string; log: Log; clock: Clock }): Promise<DiskCache> {
    return new DiskCache(await KeptFiles.open({ dir, clock, prefix, maxBytes, writesBetweenSweeps }), log);
  }

  private constructor(files: KeptFiles, log: Log) {
    this.#files = files;
    this.#log = log;
  }

  async read(key: string): Promise<{ rendering: Rendering; bytes: number } | undefined> {
    const text = (await this.#files.read(key))?.toString();
    if (text === undefined) return undefined;
    const body = text.slice(text.indexOf("\n") + 1);
    const rendering = text.startsWith(`${hash("sha256", body)}\n`)
      ? readRendering(parseJson(body))
      : undefined;
    if (!rendering) {
      this.#log.warn({ key }, "a damaged cache file is dropped");
      await this.#files.remove(key);
      return undefined;
    }
    await this.#files.touch(key);
    return { rendering, bytes: body.length };
  }

  async write(key: string, rendering: Rendering): Promise<void> {
    if (rendering.manifests.some(({ manifest }) => holdsSecret(manifest))) return;
    const body = stringifyJson(rendering);
    try {
      await this.#files.write(key, `${hash("sha256", body)}\n${body}`);
    } catch (error) {
      this.#log.warn({ key, error }, "a rendering could not be kept on disk");
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
