import { hash } from "node:crypto";
import { BoundedMap, type Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import type {
  GitContent,
  GitContentRequest,
  ManifestRequest,
  ManifestResponse,
  MetadataRequest,
  RepoAppDetails,
  RepoServer,
  RevisionMetadata,
  RevisionRequest,
  SignatureRequest,
} from "@capstan/wire";
import { argocdTypes, repositoryService } from "@capstan/wire/repo-protocols";
import { jsonOfMessage, messageOfJson } from "@capstan/wire/rpc";
import { annotationsOf } from "../artifact-details.ts";
import { describedBy } from "../source-details.ts";
import { checkRevision, checkSourceType, readManifests } from "./foreign-answers.ts";
import { readForeignContent } from "./foreign-content.ts";
import type { ForeignRemote } from "./foreign-remote.ts";
import { wantedOf, writeDetailsQuery, writeManifestRequest, writeRepository } from "./write-request.ts";

const chunkBytes = 64 * 1024;
const remembered = 10_000;

/**
 * Argo CD's own repo server in place of ours (repository.RepoServerService), for an installation that is taken over
 * part by part. It renders what it renders: pipelines, masked secrets and what a tag stood for are not known of it, and
 * what only ours does is refused with a sentence.
 */
export class ForeignRepo implements RepoServer {
  readonly #remote: ForeignRemote;
  readonly #clock: Clock;
  /** When a remote was asked last through here, by repository and revision. */
  readonly #asked = new BoundedMap<number>(remembered);

  constructor(remote: ForeignRemote, clock: Clock) {
    this.#remote = remote;
    this.#clock = clock;
  }

  async generateManifests(request: ManifestRequest, signal: AbortSignal): Promise<ManifestResponse> {
    const freshness = this.#freshness(request);
    const { askedAt } = freshness;
    const written = writeManifestRequest(request, freshness.noRevisionCache);
    const { uploaded } = request;
    const startedAt = this.#clock.now();
    const answer = await this.#remote.ask(signal, (service, options) =>
      uploaded === undefined
        ? service.generateManifest(written, options)
        : service.generateManifestWithFiles(upload(written, uploaded), options),
    );
    this.#asked.set(freshness.key, askedAt);
    const revision = checkRevision(answer.revision, request);
    const sourceType = checkSourceType(answer.sourceType);
    const manifests = await readManifests(answer.manifests, signal);
    const plugin = pluginOf(sourceType, request);
    const stages = [{ name: plugin, ms: this.#clock.now() - startedAt }];
    return {
      manifests,
      revision,
      askedAt,
      sourceType,
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
    const details = await this.#remote.ask(signal, (service, options) =>
      service.getAppDetails(query, options),
    );
    const read = jsonOfMessage(repositoryService.RepoAppDetailsResponseSchema, details) as RepoAppDetails;
    return describedBy(read, pluginOf(details.type, request));
  }

  async resolveRevision(request: RevisionRequest, signal: AbortSignal) {
    const { repository, source } = request;
    const ambiguousRevision = wantedOf(request);
    const app = messageOfJson(argocdTypes.ApplicationSchema, { spec: { source } });
    const repo = writeRepository(repository);
    const answer = await this.#remote.ask(signal, (service, options) =>
      service.resolveRevision({ repo, app, ambiguousRevision, sourceIndex: 0n }, options),
    );
    // Whether it has asked the remote, or what that said before, it does not tell.
    return { revision: checkRevision(answer.revision, request), ambiguous: answer.ambiguousRevision };
  }

  async revisionMetadata(request: MetadataRequest, signal: AbortSignal): Promise<RevisionMetadata> {
    const { repository, source, withDetails = false, signatures } = request;
    const asked = { repo: writeRepository(repository), revision: wantedOf(request) };
    const nothing = { author: "", date: "", message: "", tags: [] };
    const { chart } = source;
    if (chart !== undefined) {
      if (!withDetails) return nothing;
      const given = { ...asked, name: chart };
      const { description, home, maintainers } = await this.#remote.ask(signal, (service, options) =>
        service.getRevisionChartDetails(given, options),
      );
      return { ...nothing, chart: { description, home, maintainers } };
    }
    if (repository.url.startsWith("oci://")) {
      if (!withDetails) return nothing;
      const artifact = await this.#remote.ask(signal, (service, options) =>
        service.getOCIMetadata(asked, options),
      );
      return { ...nothing, artifact: annotationsOf({ ...artifact }) };
    }
    const checkSignature = signatures !== undefined;
    const answer = await this.#remote.ask(signal, (service, options) =>
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
    const { branches, tags } = await this.#remote.ask(signal, (service, options) =>
      repository.type === "oci"
        ? service.listOCITags({ repo }, options)
        : service.listRefs({ repo }, options),
    );
    return { branches, tags };
  }

  async listCharts({ repository }: Parameters<RepoServer["listCharts"]>[0], signal: AbortSignal) {
    const repo = writeRepository(repository);
    const { items } = await this.#remote.ask(signal, (service, options) =>
      service.getHelmCharts({ repo }, options),
    );
    return items.map(({ name, versions }) => ({ name, versions }));
  }

  async listApps(request: RevisionRequest, signal: AbortSignal): Promise<Record<string, string>> {
    const asked = { repo: writeRepository(request.repository), revision: wantedOf(request) };
    const { apps } = await this.#remote.ask(signal, (service, options) => service.listApps(asked, options));
    return apps;
  }

  async testRepository({ repository }: Parameters<RepoServer["testRepository"]>[0], signal: AbortSignal) {
    const repo = writeRepository(repository);
    await this.#remote.ask(signal, (service, options) => service.testRepository({ repo }, options));
  }

  /** Its plugins run beside it: how each is found and what it takes, it does not tell. */
  async listPlugins() {
    return [];
  }

  /** Of one commit, whatever comes onto the branch between two questions. */
  async readGitContent(request: GitContentRequest, signal: AbortSignal): Promise<GitContent> {
    const { revision } = await this.resolveRevision(request, signal);
    const content = await readForeignContent(this.#remote, { ...request, revision }, signal);
    return { revision, ...content };
  }

  async fetchRevision(): Promise<void> {
    // It fetches a commit when it is to render it.
  }

  async changedFiles(): Promise<never> {
    throw beyond("which files a commit has changed");
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
    return { key, noRevisionCache: true, askedAt: this.#clock.now() };
  }
}

function beyond(what: string): CapstanError {
  const problem = "is not to be had of Argo CD's repo server: let a `capstan repo-server` serve this program";
  return new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
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
