import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isRecord, parseJson } from "@capstan/formats";
import type { Descriptor, Layer } from "./image-layout.ts";

/** An image of a layout on disk, on which another is to stand. */
export interface BaseImage {
  readonly architecture: string;
  readonly layers: readonly Layer[];
  /** How it is started, its environment with it. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly history: readonly unknown[];
}

/** What tells of blobs is small. */
const maxJsonBytes = 4 * 2 ** 20;
const maxImages = 32;

/**
 * The Linux images of a layout, as `crane pull --format=oci`, `skopeo copy … oci:…` and an unpacked `docker save` write
 * it; their layers are copied to `to`, each held against its digest.
 */
export async function copyBaseImages(from: string, to: string): Promise<BaseImage[]> {
  const found = await imagesOf(from, await readJson(join(from, "index.json")), 0);
  await mkdir(join(to, "blobs", "sha256"), { recursive: true });
  const images: BaseImage[] = [];
  for (const manifest of found) {
    const config = await readBlob(from, manifest.config);
    const { architecture, os, config: start, rootfs, history } = config;
    if (os !== "linux" || typeof architecture !== "string") continue;
    const diffIds = isRecord(rootfs) && Array.isArray(rootfs.diff_ids) ? rootfs.diff_ids : [];
    const layers = listOf(manifest.layers).map((one, index) => asLayer(from, one, diffIds[index]));
    for (const layer of layers) await copyBlob(layer, from, to);
    images.push({
      architecture,
      layers,
      config: isRecord(start) ? start : {},
      history: Array.isArray(history) ? history : [],
    });
  }
  if (images.length === 0) throw new Error(`${from} holds no image for Linux`);
  return images;
}

/** An index may lead to others: crane and docker name one that leads to the images of all platforms. */
async function imagesOf(
  from: string,
  index: Record<string, unknown>,
  depth: number,
): Promise<Record<string, unknown>[]> {
  const images: Record<string, unknown>[] = [];
  for (const one of listOf(index.manifests)) {
    const value = await readBlob(from, one);
    if (Array.isArray(value.manifests) && depth < 2) images.push(...(await imagesOf(from, value, depth + 1)));
    // What an image was made of, as docker attests it, is no image.
    else if (isRecord(value.config) && !isAttestation(one)) images.push(value);
    if (images.length > maxImages) throw new Error(`${from} holds more than ${maxImages} images`);
  }
  return images;
}

function isAttestation({ annotations }: Record<string, unknown>): boolean {
  return isRecord(annotations) && annotations["vnd.docker.reference.type"] !== undefined;
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function blobPath(layout: string, digest: unknown): string {
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(typeof digest === "string" ? digest : "") ?? [];
  if (hex === undefined) throw new Error(`${layout}: ${JSON.stringify(digest)} is no digest (sha256)`);
  return join(layout, "blobs", "sha256", hex);
}

async function readBlob(layout: string, descriptor: unknown): Promise<Record<string, unknown>> {
  return readJson(blobPath(layout, isRecord(descriptor) ? descriptor.digest : undefined));
}

async function readJson(path: string): Promise<Record<string, unknown>> {
  if ((await stat(path)).size > maxJsonBytes) throw new Error(`${path} has more than ${maxJsonBytes} bytes`);
  const value = parseJson(await readFile(path, "utf8"));
  if (!isRecord(value)) throw new Error(`${path} is no JSON object`);
  return value;
}

/** Docker's types of layers, by OCI's names for the same. */
const layerTypes: Readonly<Record<string, string>> = {
  "application/vnd.docker.image.rootfs.diff.tar.gzip": "application/vnd.oci.image.layer.v1.tar+gzip",
  "application/vnd.docker.image.rootfs.diff.tar": "application/vnd.oci.image.layer.v1.tar",
};

function asLayer(
  layout: string,
  { mediaType, digest, size }: Record<string, unknown>,
  diffId: unknown,
): Layer {
  blobPath(layout, digest);
  if (typeof mediaType !== "string" || typeof digest !== "string" || typeof size !== "number")
    throw new Error(`${layout} names a layer without a type, a digest or a size`);
  if (typeof diffId !== "string") throw new Error(`${layout} says of ${digest} not what it unpacks to`);
  return { mediaType: layerTypes[mediaType] ?? mediaType, digest, size, diffId };
}

async function copyBlob({ digest, size }: Descriptor, from: string, to: string): Promise<void> {
  const sum = createHash("sha256");
  let left = size;
  const counting = new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length;
      sum.update(chunk);
      done(left < 0 ? new Error(`${digest} is larger than ${size} bytes`) : null, chunk);
    },
  });
  await pipeline(createReadStream(blobPath(from, digest)), counting, createWriteStream(blobPath(to, digest)));
  if (`sha256:${sum.digest("hex")}` !== digest) throw new Error(`${blobPath(from, digest)} is not ${digest}`);
}
