import { createHash, hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { lstat, mkdir, readdir, readlink, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";

/** OCI image specification 1.1, descriptor. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { os: string; architecture: string };
}

export interface Layer extends Descriptor {
  /** Of what is packed. */
  readonly diffId: string;
}

const types = {
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  config: "application/vnd.oci.image.config.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  index: "application/vnd.oci.image.index.v1+json",
} as const;

/** Files are as old as this: the same content is the same image whenever it is made. */
const madeAt = new Date(0);

/** Where whoever it runs as may write. */
export const openFolders: readonly string[] = ["tmp", "data", "home/argocd/cmp-server/plugins"];

/** A folder's files as a layer of the layout, root's all of them; anyone writes in the folders that are open. */
export async function addLayer(layout: string, root: string): Promise<Layer> {
  await mkdir(join(layout, "blobs", "sha256"), { recursive: true });
  const tar = pack();
  const [plain, zipped] = [createHash("sha256"), createHash("sha256")];
  const fresh = join(layout, "blobs", "sha256", `${process.pid}.new`);
  const counting = (digest: ReturnType<typeof createHash>) =>
    new Transform({
      transform(chunk, _, done) {
        digest.update(chunk);
        done(null, chunk);
      },
    });
  const written = pipeline(
    tar,
    counting(plain),
    createGzip({ level: 6 }),
    counting(zipped),
    createWriteStream(fresh),
  );
  await addFolder(tar, root, "");
  tar.finalize();
  await written;
  const digest = zipped.digest("hex");
  await rename(fresh, join(layout, "blobs", "sha256", digest));
  const { size } = await stat(join(layout, "blobs", "sha256", digest));
  return {
    mediaType: types.layer,
    digest: `sha256:${digest}`,
    size,
    diffId: `sha256:${plain.digest("hex")}`,
  };
}

async function addFolder(tar: ReturnType<typeof pack>, root: string, folder: string): Promise<void> {
  for (const name of (await readdir(join(root, folder))).toSorted()) {
    const path = join(folder, name);
    const found = await lstat(join(root, path));
    const mode = found.mode & 0o755;
    const header = { name: path, mtime: madeAt, uid: 0, gid: 0, mode };
    if (found.isDirectory()) {
      const isOpen = openFolders.includes(path);
      tar.entry({ ...header, name: `${path}/`, type: "directory", mode: isOpen ? 0o1777 : mode });
      await addFolder(tar, root, path);
    } else if (found.isSymbolicLink()) {
      tar.entry({ ...header, type: "symlink", linkname: await readlink(join(root, path)) });
    } else {
      const entry = tar.entry({ ...header, type: "file", size: found.size });
      createReadStream(join(root, path)).pipe(entry);
      await finished(entry);
    }
  }
}

/** What an image is for, and how it is started (OCI image specification 1.1, configuration). */
interface ImageSettings {
  readonly architecture: string;
  readonly layers: readonly Layer[];
  /** How it is started. */
  readonly config: Readonly<Record<string, unknown>>;
  /** What else an image says of itself: of the one that it stands on. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export async function addImage(
  layout: string,
  { architecture, layers, config: start, more }: ImageSettings,
): Promise<Descriptor> {
  const config = await addJson(layout, types.config, {
    ...more,
    architecture,
    os: "linux",
    created: madeAt.toISOString(),
    config: start,
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const manifest = await addJson(layout, types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config,
    layers: layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })),
  });
  return { ...manifest, platform: { os: "linux", architecture } };
}

/** Names the images of all platforms as one; gives its descriptor. */
export async function finishLayout(
  layout: string,
  images: readonly Descriptor[],
  tag: string,
): Promise<Descriptor> {
  const index = await addJson(layout, types.index, {
    schemaVersion: 2,
    mediaType: types.index,
    manifests: images,
  });
  const named = { ...index, annotations: { "org.opencontainers.image.ref.name": tag } };
  await writeFile(
    join(layout, "index.json"),
    JSON.stringify({ schemaVersion: 2, mediaType: types.index, manifests: [named] }),
  );
  await writeFile(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  return index;
}

async function addJson(layout: string, mediaType: string, content: unknown): Promise<Descriptor> {
  const text = JSON.stringify(content);
  const digest = hash("sha256", text, "hex");
  await writeFile(join(layout, "blobs", "sha256", digest), text);
  return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}
