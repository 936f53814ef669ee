import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { arch } from "node:os";
import { join } from "node:path";
import { SharedCalls } from "@capstan/flow";
import { isRecord, parseJson } from "@capstan/formats";
import { CapstanError, type Repository } from "@capstan/model";
import type { ContainerImage, FunctionImage, WithImage } from "@capstan/plugin-kit";
import { clearUnused, UnpackCount } from "@capstan/plugin-kit";
import type { OciImage, OciRepository } from "@capstan/registries";
import { openOci } from "./oci-access.ts";
import { unpackLayer } from "./unpack-layer.ts";

export interface ImageLimits {
  maxLayerBytes: number;
  maxBytes: number;
  maxFiles: number;
  /** How many images are kept; the longest unused go first. */
  maxImages: number;
}

const defaultLimits: ImageLimits = {
  maxLayerBytes: 512 * 2 ** 20,
  maxBytes: 2 * 2 ** 30,
  maxFiles: 200_000,
  maxImages: 20,
};
const layerTypes = [
  "application/vnd.oci.image.layer.v1.tar",
  "application/vnd.oci.image.layer.v1.tar+gzip",
  "application/vnd.oci.image.layer.v1.tar+zstd",
  "application/vnd.docker.image.rootfs.diff.tar.gzip",
];
const timeoutMs = 120_000;
/** Where the sandbox puts what every program expects. */
const mountPoints = ["proc", "dev", "tmp"];

/**
 * Images of kpt's functions, unpacked below `folder`, each under the digest of its manifest. A tag is asked for at each
 * use; what has been unpacked once is not fetched again.
 */
export function functionImages(folder: string, limits: Partial<ImageLimits> = {}): WithImage {
  const store = new ImageStore(folder, { ...defaultLimits, ...limits });
  return async (image, around, work) => work(await store.bring(image, around));
}

type Around = Parameters<WithImage>[1];

class ImageStore {
  readonly #folder: string;
  readonly #limits: ImageLimits;
  readonly #unpacking = new SharedCalls<string>();

  constructor(folder: string, limits: ImageLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  async bring(image: string, around: Around): Promise<FunctionImage> {
    const { name, reference } = partsOf(image);
    const repository = await withLogin({ url: `oci://${name}` }, around.env);
    const open = (signal: AbortSignal) => openOci("", { repository, clock: around.clock, signal, timeoutMs });
    const found = await open(around.signal).image(reference, goArchitecture());
    const fetch = (signal: AbortSignal) => this.#unpacked(found, open(signal), around.clock.now());
    const place = await this.#unpacking.join(found.digest, fetch, around.signal);
    const root = join(place, "root");
    return found.isWasm
      ? { wasm: await onlyFile(root, image) }
      : { root, ...readConfig(found.config, image) };
  }

  async #unpacked(image: OciImage, repository: OciRepository, now: number): Promise<string> {
    const place = join(this.#folder, image.digest.replace(":", "-"));
    const used = new Date(now);
    const isThere = await utimes(place, used, used).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
    const fresh = `${place}.${randomUUID()}.new`;
    const root = join(fresh, "root");
    await mkdir(root, { recursive: true });
    try {
      await this.#unpack(image, repository, root);
      for (const name of mountPoints) await mkdir(join(root, name)).catch(ignoreExisting);
      await utimes(fresh, used, used);
      await rename(fresh, place).catch(async (error: unknown) => {
        // Another process was faster.
        if (!(await stat(place).catch(() => undefined))) throw error;
      });
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
    await clearUnused(this.#folder, { now, maxEntries: this.#limits.maxImages });
    return place;
  }

  async #unpack({ digest, layers }: OciImage, repository: OciRepository, root: string): Promise<void> {
    const { maxBytes, maxFiles, maxLayerBytes } = this.#limits;
    const count = new UnpackCount({ maxBytes, maxEntries: maxFiles, what: `image ${digest}` });
    for (const layer of layers) {
      const { mediaType } = layer;
      if (!layerTypes.includes(mediaType))
        throw new CapstanError({
          code: "FAILED_PRECONDITION",
          what: `layer ${layer.digest} of an image`,
          problem: `it is of type "${mediaType}"; a function's image is made of ${layerTypes.join(", ")}`,
        });
      await unpackLayer(
        root,
        { content: await repository.blob(layer.digest, maxLayerBytes), mediaType },
        count,
      );
    }
  }
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}

function goArchitecture(): string {
  return arch() === "x64" ? "amd64" : arch();
}

/** OCI distribution specification, "Pulling manifests": no part of a name is "..", which would lead to another. */
const part = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const written = new RegExp(
  `^([a-zA-Z0-9.-]+(?::\\d+)?(?:/${part})+)(?::([\\w][\\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
);

function partsOf(image: string): { name: string; reference: string } {
  const [, name = "", tag = "latest", digest] = written.exec(image) ?? [];
  if (name !== "") return { name, reference: digest ?? tag };
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: `image "${image}"`,
    problem: "an image is written HOST/NAME:TAG or HOST/NAME@sha256:DIGEST",
  });
}

/** As container runtimes find it: `auths` of docker's config.json. */
async function withLogin(repository: Repository, env: Around["env"]): Promise<Repository> {
  const folder = env.DOCKER_CONFIG || (env.HOME ? join(env.HOME, ".docker") : undefined);
  if (folder === undefined) return repository;
  const content = await readFile(join(folder, "config.json"), "utf8").catch(() => "{}");
  const config = parseJson(content);
  const auths = isRecord(config) && isRecord(config.auths) ? config.auths : {};
  const entry = auths[repository.url.replace("oci://", "").split("/")[0] ?? ""];
  if (!isRecord(entry) || typeof entry.auth !== "string") return repository;
  const login = Buffer.from(entry.auth, "base64").toString();
  const colon = login.indexOf(":");
  return { ...repository, username: login.slice(0, colon), password: login.slice(colon + 1) };
}

async function onlyFile(root: string, image: string): Promise<string> {
  const files = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isFile());
  const [file] = files;
  if (file && files.length === 1) return join(root, file.name);
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: `image ${image}`,
    problem: `a function in WebAssembly is one file; this has ${files.length}`,
  });
}

function readConfig(config: OciImage["config"], image: string): Omit<ContainerImage, "root"> {
  const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  const command = [...listOf(config.Entrypoint), ...listOf(config.Cmd)];
  if (command.length === 0)
    throw new CapstanError({
      code: "FAILED_PRECONDITION",
      what: `image ${image}`,
      problem: "it has no entrypoint, so that there is nothing to run",
    });
  const env = listOf(config.Env).map((line): [string, string] => {
    const at = line.indexOf("=");
    return [line.slice(0, at), line.slice(at + 1)];
  });
  return { command, env: Object.fromEntries(env), directory: String(config.WorkingDir || "/") };
}
