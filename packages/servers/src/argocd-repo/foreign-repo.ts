import { hash } from "node:crypto";
import { BoundedMap, type Clock, longText, ownTurn } from "@capstan/flow";
import { canonicalJson } from "@capstan/formats";
import { CapstanError, messageOf, parseGivenManifest } from "@capstan/model";
import type { Calls } from "@capstan/plugin-kit/grpc";
import { RpcError } from "@capstan/plugin-kit/grpc";
import type {
  ManifestRequest,
  ManifestResponse,
  MetadataRequest,
  RenderedManifest,
  RepoAppDetails,
  RepoServer,
  RevisionMetadata,
  RevisionRequest,
  SignatureRequest,
} from "@capstan/wire";
import { argocdTypes, type reposerver, repositoryService } from "@capstan/wire/repo-protocols";
import { jsonOfMessage, messageOfJson } from "@capstan/wire/rpc";
import { annotationsOf } from "../artifact-details.ts";
import { describedBy } from "../source-details.ts";
import { wantedOf, writeDetailsQuery, writeManifestRequest, writeRepository } from "./write-request.ts";

type Service = Calls<typeof reposerver.RepoServerService>;

interface Options {
  readonly service: Service;
  /** HOST:PORT, for errors. */
  readonly address: string;
  readonly clock: Clock;
  /** A call that takes longer is given up; milliseconds. */
  readonly timeoutMs: number;
}

const chunkBytes = 64 * 1024;
const remembered = 10_000;

/** google.golang.org/grpc/codes that mean something of their own here. */
const codes = { deadlineExceeded: 4, unimplemented: 12, unavailable: 14 } as const;

/**
 * Argo CD's own repo server in place of ours (repository.RepoServerService), for an installation that is taken over
 * part by part. It renders what it renders: pipelines, masked secrets and what a tag stood for are not known of it, and
 * what only ours does is refused with a sentence.
 */
export class ForeignRepo implements RepoServer {
  readonly #options: Options;
  /** When a remote was asked last through here, by repository and revision. */
  readonly #asked = new BoundedMap<number>(remembered);

  constructor(options: Options) {
    this.#options = options;
  }

  async generateManifests(request: ManifestRequest, signal: AbortSignal): Promise<ManifestResponse> {
    const { clock } = this.#options;
    const freshness = this.#freshness(request);
    const { askedAt } = freshness;
    const written = writeManifestRequest(request, freshness.noRevisionCache);
    const { uploaded } = request;
    const startedAt = clock.now();
    const answer = await this.#call(signal, (service, options) =>
      uploaded === undefined
        ? service.generateManifest(written, options)
        : service.generateManifestWithFiles(upload(written, uploaded), options),
    );
    this.#asked.set(freshness.key, askedAt);
    const manifests = await readManifests(answer.manifests, signal);
    const plugin = pluginOf(answer.sourceType, request);
    const stages = [{ name: plugin, ms: clock.now() - startedAt }];
    return {
      manifests,
      revision: answer.revision,
      askedAt,
      sourceType: answer.sourceType,
      plugin,
      commands: answer.commands,
      cache: "miss",
      timings: { queueMs: 0, fetchMs: 0, chooseMs: 0, transferMs: 0, stages },
    };
  }

  /** Its answers have no key, so that nobody asks for one again. */
  async identifyAnswer(): Promise<never> {
    throw new CapstanError({ code: "UNIMPLEMENTED", what: "the key of an answer" });
  }

  async explainRender(request: ManifestRequest, signal: AbortSignal) {
    const { manifests, commands, revision, sourceType, plugin, timings } = await this.generateManifests(
      request,
      signal,
    );
    const { ms = 0 } = timings.stages[0] ?? {};
    const stage = {
      name: plugin,
      plugin,
      shapes: ["generate"] as const,
      cache: "miss" as const,
      ms,
      sensitive: false,
      files: [],
      manifests: manifests.map(({ manifest }) => manifest),
      commands,
      announced: [],
      parameters: [],
      env: [],
    };
    return { revision, sourceType, plugin, timings, stages: [stage] };
  }

  async describeSource(request: ManifestRequest, signal: AbortSignal) {
    const query = writeDetailsQuery(request, this.#freshness(request).noRevisionCache);
    const details = await this.#call(signal, (service, options) => service.getAppDetails(query, options));
    const read = jsonOfMessage(repositoryService.RepoAppDetailsResponseSchema, details) as RepoAppDetails;
    return describedBy(read, pluginOf(details.type, request));
  }

  async resolveRevision(request: RevisionRequest, signal: AbortSignal) {
    const { repository, source } = request;
    const ambiguousRevision = wantedOf(request);
    const app = messageOfJson(argocdTypes.ApplicationSchema, { spec: { source } });
    const repo = writeRepository(repository);
    const answer = await this.#call(signal, (service, options) =>
      service.resolveRevision({ repo, app, ambiguousRevision, sourceIndex: 0n }, options),
    );
    // Whether it has asked the remote, or what that said before, it does not tell.
    return { revision: answer.revision, ambiguous: answer.ambiguousRevision };
  }

  async revisionMetadata(request: MetadataRequest, signal: AbortSignal): Promise<RevisionMetadata> {
    const { repository, source, withDetails = false, signatures } = request;
    const asked = { repo: writeRepository(repository), revision: wantedOf(request) };
    const nothing = { author: "", date: "", message: "", tags: [] };
    const { chart } = source;
    if (chart !== undefined) {
      if (!withDetails) return nothing;
      const given = { ...asked, name: chart };
      const { description, home, maintainers } = await this.#call(signal, (service, options) =>
        service.getRevisionChartDetails(given, options),
      );
      return { ...nothing, chart: { description, home, maintainers } };
    }
    if (repository.url.startsWith("oci://")) {
      if (!withDetails) return nothing;
      const artifact = await this.#call(signal, (service, options) => service.getOCIMetadata(asked, options));
      return { ...nothing, artifact: annotationsOf({ ...artifact }) };
    }
    const checkSignature = signatures !== undefined;
    const answer = await this.#call(signal, (service, options) =>
      service.getRevisionMetadata({ ...asked, checkSignature }, options),
    );
    const { date } = jsonOfMessage(argocdTypes.RevisionMetadataSchema, answer) as { date?: string };
    const { author, message, tags, signatureInfo } = answer;
    return { author, date: date ?? "", message, tags, ...(checkSignature ? { signatureInfo } : {}) };
  }

  /** That server reads the keyring itself and tells of one commit; who signed it, and whether he may, is judged here. */
  async verifySignatures(request: SignatureRequest, signal: AbortSignal): Promise<readonly string[]> {
    const { mode, keys } = request.demand;
    if (mode === "strict") throw beyond("signatures of all commits since the last one (strict)");
    const { signatureInfo = "" } = await this.revisionMetadata({ ...request, signatures: request }, signal);
    const [, key] = /^Good signature from .* key ([0-9A-Fa-f]+)$/s.exec(signatureInfo.trim()) ?? [];
    if (key !== undefined && keys.some((one) => one.toUpperCase().endsWith(key.toUpperCase()))) return [];
    return [
      `the commit ${request.revision} is not signed by a key of the project: ${signatureInfo || "no signature"}`,
    ];
  }

  async listRefs({ repository }: Parameters<RepoServer["listRefs"]>[0], signal: AbortSignal) {
    const repo = writeRepository(repository);
    const { branches, tags } = await this.#call(signal, (service, options) =>
      repository.type === "oci"
        ? service.listOCITags({ repo }, options)
        : service.listRefs({ repo }, options),
    );
    return { branches, tags };
  }

  async listCharts({ repository }: Parameters<RepoServer["listCharts"]>[0], signal: AbortSignal) {
    const repo = writeRepository(repository);
    const { items } = await this.#call(signal, (service, options) =>
      service.getHelmCharts({ repo }, options),
    );
    return items.map(({ name, versions }) => ({ name, versions }));
  }

  async listApps(request: RevisionRequest, signal: AbortSignal): Promise<Record<string, string>> {
    const asked = { repo: writeRepository(request.repository), revision: wantedOf(request) };
    const { apps } = await this.#call(signal, (service, options) => service.listApps(asked, options));
    return apps;
  }

  async testRepository({ repository }: Parameters<RepoServer["testRepository"]>[0], signal: AbortSignal) {
    const repo = writeRepository(repository);
    await this.#call(signal, (service, options) => service.testRepository({ repo }, options));
  }

  /** Its plugins run beside it: how each is found and what it takes, it does not tell. */
  async listPlugins() {
    return [];
  }

  async readGitContent(): Promise<never> {
    throw beyond("what git generators of ApplicationSets read");
  }

  async writeFiles(): Promise<never> {
    throw beyond("write-back to git");
  }

  forgetRevisions(url: string): void {
    this.#asked.deleteWhere((key) => key.startsWith(`${url}\n`));
  }

  /**
   * That server keeps what a remote said for minutes: it is told to ask where what the caller wants may be newer. What was
   * asked is known once it has answered.
   */
  #freshness(request: RevisionRequest): { key: string; noRevisionCache: boolean; askedAt: number } {
    const key = `${request.repository.url}\n${wantedOf(request)}`;
    const last = this.#asked.get(key);
    const { noRevisionCache = false, revisionNotBefore = 0 } = request;
    if (!noRevisionCache && last !== undefined && last >= revisionNotBefore)
      return { key, noRevisionCache: false, askedAt: last };
    return { key, noRevisionCache: true, askedAt: this.#options.clock.now() };
  }

  async #call<Answer>(
    signal: AbortSignal,
    call: (service: Service, options: { signal: AbortSignal; deadline: number }) => Promise<Answer>,
  ): Promise<Answer> {
    const { service, clock, timeoutMs, address } = this.#options;
    try {
      return await call(service, { signal, deadline: clock.now() + timeoutMs });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RpcError)) throw error;
      const what = `Argo CD's repo server ${address}`;
      if (error.code === codes.deadlineExceeded)
        throw new CapstanError({ code: "TIMED_OUT", what, afterMs: timeoutMs }, error);
      if (error.code === codes.unavailable)
        throw new CapstanError({ code: "UNAVAILABLE", what, problem: messageOf(error) }, error);
      if (error.code === codes.unimplemented)
        throw new CapstanError({ code: "UNIMPLEMENTED", what: `this, by ${what},` }, error);
      throw new CapstanError({ code: "FAILED_PRECONDITION", what, problem: messageOf(error) }, error);
    }
  }
}

function beyond(what: string): CapstanError {
  const problem = "is not to be had of Argo CD's repo server: let a `capstan repo-server` serve this program";
  return new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
}

/** Each is as bounded as what somebody sends; all together are by what one message may have. */
async function readManifests(texts: readonly string[], signal: AbortSignal): Promise<RenderedManifest[]> {
  const read: RenderedManifest[] = [];
  let untilTurn = longText;
  for (const [index, text] of texts.entries()) {
    untilTurn -= text.length;
    if (untilTurn < 0) {
      await ownTurn(signal);
      untilTurn = longText;
    }
    const place = { file: "the answer of Argo CD's repo server", document: index + 1 };
    const manifest = parseGivenManifest(text, place);
    read.push({ manifest, digest: hash("sha256", canonicalJson(manifest)) });
  }
  return read;
}

function pluginOf(sourceType: string, { source }: RevisionRequest): string {
  return sourceType === "Plugin" ? (source.plugin?.name ?? "plugin") : sourceType.toLowerCase();
}

async function* upload(request: ReturnType<typeof writeManifestRequest>, uploaded: string) {
  const sent = Buffer.from(uploaded, "base64");
  yield { part: { case: "request" as const, value: request } };
  const metadata = { checksum: hash("sha256", sent), size: BigInt(sent.length) };
  yield { part: { case: "metadata" as const, value: metadata } };
  for (let at = 0; at < sent.length; at += chunkBytes)
    yield { part: { case: "chunk" as const, value: { chunk: sent.subarray(at, at + chunkBytes) } } };
}
