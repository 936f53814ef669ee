import type { Duplex } from "node:stream";
import { isTraced, takeSteps } from "@capstan/flow";
import { canonicalJson, isRecord } from "@capstan/formats";
import { withoutUserinfo } from "@capstan/model";
import type { RenderMetrics, RepoServerOptions } from "@capstan/render";
import type {
  ManifestRequest,
  ManifestResponse,
  RenderedManifest,
  RepoServer,
  RepoServerSetup,
  RepoServerState,
  SecretRef,
} from "@capstan/wire";
import { ManifestReceiver } from "./manifest-exchange.ts";
import { Peer } from "./peer.ts";
import { maxCalls, maxFrameBytes, type RepoMethod, type Told } from "./repo-calls.ts";
import { SecretsUnderWay } from "./secrets-under-way.ts";

/** What a repo server's process has of the one that started it. */
export interface RepoParent {
  readonly setup: RepoServerSetup;
  /** As it is now; asked before each call. */
  state(): RepoServerState;
  /** Decides whether the repo server may read it. */
  readSecret(ref: SecretRef, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>;
  readonly log: RepoServerOptions["log"];
  readonly metrics: RenderMetrics;
}

type Answer<Method extends RepoMethod> = Awaited<ReturnType<RepoServer[Method]>>;

/** The repo server behind a stream, as an interface. */
export class RepoConnection implements RepoServer {
  readonly #peer: Peer;
  readonly #parent: RepoParent | undefined;
  readonly #secrets: SecretsUnderWay;
  readonly #manifests = new ManifestReceiver();
  readonly #over = new AbortController();
  #told: Partial<RepoServerState> = {};

  /**
   * `parent`: of a process that this one has started; one that serves many has its own. `lost`: what calls fail with
   * that had no answer when the stream ended. `leaving`: it will end once it has answered.
   */
  constructor(
    stream: Duplex,
    parent: RepoParent | undefined,
    { lost, leaving = () => undefined }: { lost(problem: string | undefined): Error; leaving?: () => void },
  ) {
    this.#parent = parent;
    this.#secrets = new SecretsUnderWay(parent?.setup.secretStores ?? "");
    this.#peer = new Peer(stream, {
      methods: {
        readSecret: async (ref: SecretRef, { signal }) => {
          this.#secrets.require(ref);
          return parent?.readSecret(ref, signal);
        },
      },
      told: {
        log: ({ level, facts, message }: Told["log"]) => parent?.log[level](facts, message),
        counted: (all: Told["counted"]) => {
          for (const one of all) if (parent) countIn(parent.metrics, one);
        },
        // A stranger's by now, should a parser have a hole: the tracer judges what comes.
        steps: (steps: unknown) => {
          if (parent) takeSteps(steps);
        },
        leaving,
      },
      maxFrameBytes,
      maxCalls,
      lost,
      onEnd: () => this.#over.abort(new Error("the connection has ended")),
    });
  }

  /** Aborted when the other side has gone. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** To a process that this one has started: must be called once, before or beside the first call. */
  async open(setup: RepoServerSetup, signal: AbortSignal): Promise<void> {
    this.#tellState();
    await this.#peer.call("open", { ...setup, isTraced: isTraced() }, { signal });
  }

  close(): void {
    this.#peer.close();
  }

  async generateManifests(request: ManifestRequest, signal: AbortSignal): Promise<ManifestResponse> {
    const manifests: RenderedManifest[] = [];
    const onPart = (part: unknown): void => {
      manifests.push(...this.#manifests.read(part));
    };
    const rest: Omit<ManifestResponse, "manifests"> = await this.#secrets.during(request, () =>
      this.#ask("generateManifests", request, { signal, onPart }),
    );
    return { ...rest, manifests };
  }

  identifyAnswer: RepoServer["identifyAnswer"] = (request, signal) =>
    this.#ask("identifyAnswer", request, { signal });

  explainRender: RepoServer["explainRender"] = (request, signal) =>
    this.#secrets.during(request, () => this.#ask("explainRender", request, { signal }));

  describeSource: RepoServer["describeSource"] = (request, signal) =>
    this.#secrets.during(request, () => this.#ask("describeSource", request, { signal }));

  resolveRevision: RepoServer["resolveRevision"] = (request, signal) =>
    this.#ask("resolveRevision", request, { signal });

  fetchRevision: RepoServer["fetchRevision"] = (request, signal) =>
    this.#ask("fetchRevision", request, { signal });

  revisionMetadata: RepoServer["revisionMetadata"] = (request, signal) =>
    this.#ask("revisionMetadata", request, { signal });

  verifySignatures: RepoServer["verifySignatures"] = (request, signal) =>
    this.#ask("verifySignatures", request, { signal });

  listRefs: RepoServer["listRefs"] = (request, signal) => this.#ask("listRefs", request, { signal });

  listCharts: RepoServer["listCharts"] = (request, signal) => this.#ask("listCharts", request, { signal });

  listApps: RepoServer["listApps"] = (request, signal) => this.#ask("listApps", request, { signal });

  readGitContent: RepoServer["readGitContent"] = (request, signal) =>
    this.#ask("readGitContent", request, { signal });

  changedFiles: RepoServer["changedFiles"] = (request, signal) =>
    this.#ask("changedFiles", request, { signal });

  writeFiles: RepoServer["writeFiles"] = (request, signal) => this.#ask("writeFiles", request, { signal });

  testRepository: RepoServer["testRepository"] = (request, signal) =>
    this.#ask("testRepository", request, { signal });

  listPlugins: RepoServer["listPlugins"] = () =>
    this.#ask("listPlugins", {}, { signal: new AbortController().signal });

  forgetRevisions(url: string): void {
    this.#peer.tell("forget", { url });
  }

  /** Both sides have the interface RepoServer: what one answers is what the other awaits. */
  async #ask<Method extends RepoMethod>(
    method: Method,
    request: unknown,
    means: { signal: AbortSignal; onPart?: (part: unknown) => void },
  ): Promise<Answer<Method>> {
    this.#tellState();
    const metrics = this.#parent?.metrics;
    const repo = repositoryOf(request);
    if (repo !== undefined) metrics?.pending(repo, 1);
    try {
      return (await this.#peer.call(method, request, means)) as Answer<Method>;
    } finally {
      if (repo !== undefined) metrics?.pending(repo, -1);
    }
  }

  /** What has changed since it was told last, in front of the call that may depend on it. */
  #tellState(): void {
    const now = this.#parent?.state();
    if (!now) return;
    const changed = Object.entries(now).filter(([name, value]) => {
      const before = name in this.#told ? Reflect.get(this.#told, name) : undefined;
      return before !== value && canonicalJson(before) !== canonicalJson(value);
    });
    if (changed.length > 0) this.#peer.tell("state", Object.fromEntries(changed));
    this.#told = { ...now };
  }
}

/** Of the repository that a request is about, its address without a user. */
function repositoryOf(request: unknown): string | undefined {
  const repository = isRecord(request) ? request.repository : undefined;
  return isRecord(repository) && typeof repository.url === "string"
    ? withoutUserinfo(repository.url)
    : undefined;
}

function countIn(metrics: RenderMetrics, counted: Told["counted"][number]): void {
  if (counted.name === "queue") metrics.queue(...counted.args);
  else if (counted.name === "answered") metrics.answered(...counted.args);
  else if (counted.name === "rendered") metrics.rendered(...counted.args);
  else if (counted.name === "failed") metrics.failed(...counted.args);
  else if (counted.name === "git") metrics.git(...counted.args);
  else if (counted.name === "oci") metrics.oci(...counted.args);
  else if (counted.name === "pending") metrics.pending(...counted.args);
  else if (counted.name === "sent") metrics.sent(...counted.args);
}
