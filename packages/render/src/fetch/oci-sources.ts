import { hash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BoundedMap, SharedCalls } from "@capstan/flow";
import { highestAllowed, parseConstraint } from "@capstan/formats";
import { CapstanError, isCapstanError, type Repository, withoutUserinfo } from "@capstan/model";
import type { OciManifest, OciRepository } from "@capstan/registries";
import type { ResolvedRevision, RevisionMetadata, RevisionRequest } from "@capstan/wire";
import type { OciRequest } from "../metrics.ts";
import { ArchiveTree } from "./archive-tree.ts";
import { countedOci } from "./count-requests.ts";
import { askedSince } from "./freshness.ts";
import { credentialsDigest } from "./git-access.ts";
import type { HelmSourcesOptions } from "./helm-sources.ts";
import { openOci } from "./oci-access.ts";
import type { SourceAt, Sources } from "./sources.ts";

/** Argo CD's --oci-layer-media-types; the last is a chart, whose files stand in one directory. */
const layerTypes = [
  "application/vnd.oci.image.layer.v1.tar",
  "application/vnd.oci.image.layer.v1.tar+gzip",
  "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
];
const maxLayers = 10;
const maxLayerBytes = 1024 * 2 ** 20;
const maxTreesBytes = 64 * 2 ** 20;

/** Files of an artifact in an OCI registry: `repoURL: oci://…` without a chart (Argo CD: util/oci). */
export class OciSources implements Sources {
  readonly #options: HelmSourcesOptions;
  readonly #resolved = new BoundedMap<{ digest: string; tag: string; askedAt: number }>(10_000);
  readonly #fetching = new SharedCalls<ArchiveTree>();
  readonly #trees = new BoundedMap<ArchiveTree>(maxTreesBytes);

  constructor(options: HelmSourcesOptions) {
    this.#options = options;
  }

  /** A digest or tag as it is; only what is neither is a constraint. */
  async resolve(request: RevisionRequest, signal: AbortSignal): Promise<ResolvedRevision> {
    const { repository, source } = request;
    const wanted = (request.revision ?? source.targetRevision ?? "").trim() || "latest";
    const key = `${repository.url} ${wanted} ${credentialsDigest(repository)}`;
    const { clock, revisionCacheMs } = this.#options;
    const known = this.#resolved.get(key);
    const askedAt = clock.now();
    const since = askedSince(request, { now: askedAt, keepMs: revisionCacheMs });
    const isFresh = !request.noRevisionCache && known !== undefined && known.askedAt >= since;
    const ask = () => this.#ask(repository, wanted, signal);
    const answer = isFresh
      ? known
      : { ...(await this.#counted(repository, "resolve-revision", ask)), askedAt };
    if (!isFresh) this.#resolved.set(key, answer);
    const { digest, tag } = answer;
    const ambiguous = digest === wanted ? digest : `${tag} (${digest})`;
    const meaning = tag === wanted && digest !== wanted ? { meaning: digest } : {};
    return { revision: digest, ambiguous, askedAt: answer.askedAt, ...meaning };
  }

  async tree({ repository, revision }: SourceAt, signal: AbortSignal): Promise<ArchiveTree> {
    const key = `${repository.url} ${revision} ${credentialsDigest(repository)}`;
    const known = this.#trees.get(key);
    if (known) return known;
    const fetch = async (inner: AbortSignal) => {
      const extract = () => this.#fetch(repository, revision, inner);
      const tree = await this.#counted(repository, "extract", extract);
      this.#trees.set(key, tree, tree.bytes);
      return tree;
    };
    return this.#fetching.join(key, fetch, signal);
  }

  async metadata({ repository, revision }: SourceAt, signal: AbortSignal): Promise<RevisionMetadata> {
    const { annotations } = await this.#counted(repository, "digest-metadata", () =>
      this.#open(repository, signal).manifest(revision),
    );
    const told = (name: string) => annotations[`org.opencontainers.image.${name}`] ?? "";
    const plain = { author: told("authors"), date: told("created"), message: told("description"), tags: [] };
    return { ...plain, artifact: annotations };
  }

  async tags(repository: Repository, signal: AbortSignal): Promise<string[]> {
    return this.#counted(repository, "get-tags", () => this.#open(repository, signal).tags());
  }

  #counted<Value>({ url }: Repository, request: OciRequest, work: () => Promise<Value>): Promise<Value> {
    return countedOci(this.#options, { url, request }, work);
  }

  async #ask(
    repository: Repository,
    wanted: string,
    signal: AbortSignal,
  ): Promise<{ digest: string; tag: string }> {
    const open = this.#open(repository, signal);
    try {
      const { digest } = await open.manifest(wanted.replaceAll("+", "_"));
      return { digest, tag: wanted };
    } catch (error) {
      const constraint = parseConstraint(wanted);
      if (!isCapstanError(error, "REPOSITORY_MISSING", "REPOSITORY_UNREACHABLE") || !constraint) throw error;
      const available = (await open.tags()).map((tag) => tag.replaceAll("_", "+"));
      const tag = highestAllowed(available, constraint);
      const shown = withoutUserinfo(repository.url);
      if (tag === undefined)
        throw new CapstanError({ code: "VERSION_MISSING", repository: shown, constraint: wanted, available });
      return { digest: (await open.manifest(tag.replaceAll("+", "_"))).digest, tag };
    }
  }

  async #fetch(repository: Repository, revision: string, signal: AbortSignal): Promise<ArchiveTree> {
    const open = this.#open(repository, signal);
    const layer = contentLayer(await open.manifest(revision), withoutUserinfo(repository.url));
    const folder = join(this.#options.dataDir, "artifacts");
    const file = join(folder, hash("sha256", layer.digest, "hex"));
    const stored = await readFile(file).catch(() => undefined);
    const archive = stored ?? (await open.blob(layer.digest, maxLayerBytes));
    const { maxTreeBytes: maxBytes, maxFiles } = this.#options;
    const limits = { maxBytes, maxFiles };
    const isChart = layer.mediaType === layerTypes[2];
    const isPacked = layer.mediaType.endsWith("gzip");
    const tree = await ArchiveTree.read(archive, revision, { ...limits, isChart, isPacked });
    if (!stored) {
      await mkdir(folder, { recursive: true });
      const fresh = `${file}.${randomUUID()}.new`;
      await writeFile(fresh, archive);
      await rename(fresh, file);
    }
    return tree;
  }

  #open(repository: Repository, signal: AbortSignal): OciRepository {
    const { clock, hosts, fetchTimeoutMs: timeoutMs } = this.#options;
    return openOci("", { repository, clock, hosts, signal, timeoutMs });
  }
}

function contentLayer({ layers }: OciManifest, what: string): OciManifest["layers"][number] {
  const refuse = (problem: string) => new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
  if (layers.length > maxLayers)
    throw refuse(`it has ${layers.length} layers, more than the limit of ${maxLayers}`);
  const [layer, ...others] = layers.filter(({ mediaType }) => layerTypes.includes(mediaType));
  if (!layer) {
    const found = layers.map(({ mediaType }) => mediaType).join(", ") || "none";
    throw refuse(`it has no layer of a known type (${found}). Known: ${layerTypes.join(", ")}`);
  }
  if (others.length === 0) return layer;
  throw refuse("it has several layers with files: there must be exactly one");
}
