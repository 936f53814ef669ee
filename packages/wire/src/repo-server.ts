import type {
  ApplicationSource,
  AppProject,
  Manifest,
  ParameterAnnouncement,
  PluginParameter,
  Repository,
} from "@capstan/model";
import type { AnswerIdentity, AnswerKey, IdentifyRequest } from "./answer-keys.ts";
import type { FilesWritten, FileWriteRequest } from "./file-writes.ts";
import type { GitContent, GitContentRequest } from "./git-content.ts";

/**
 * The repository side as its callers see it, whatever carries the call (a function call in one process,
 * gRPC between processes). Rendering never talks to a cluster: all it needs comes with the request.
 */
export interface RepoServer {
  /** Rejects with a CapstanError of model's failures; never with a bare Error for bad input. */
  generateManifests(request: ManifestRequest, signal: AbortSignal): Promise<ManifestResponse>;
  /** What the answer to the request would be known by, found out without rendering. */
  identifyAnswer(request: IdentifyRequest, signal: AbortSignal): Promise<AnswerIdentity>;
  /** The same render stage by stage; what has run before does not run again. */
  explainRender(request: ManifestRequest, signal: AbortSignal): Promise<RenderExplanation>;
  /** What can be set for a source, asked of its plugins; nothing is rendered but for the images of a kustomization. */
  describeSource(request: ManifestRequest, signal: AbortSignal): Promise<SourceDescription>;
  resolveRevision(request: RevisionRequest, signal: AbortSignal): Promise<ResolvedRevision>;
  /**
   * Fetches a commit that will be asked for, so that it is there by then: that one and nothing else. Rejects where the
   * remote does not give it.
   */
  fetchRevision(request: RevisionRequest, signal: AbortSignal): Promise<void>;
  revisionMetadata(request: MetadataRequest, signal: AbortSignal): Promise<RevisionMetadata>;
  /** What is wrong with the signatures of a commit; nothing where they are as demanded. */
  verifySignatures(request: SignatureRequest, signal: AbortSignal): Promise<readonly string[]>;
  /** Branches and tags of a git repository, tags of an OCI registry's. */
  listRefs(
    request: { repository: Repository },
    signal: AbortSignal,
  ): Promise<{ branches: string[]; tags: string[] }>;
  /** Charts of a Helm repository with their versions; none of a registry, which has no list of them. */
  listCharts(
    request: { repository: Repository },
    signal: AbortSignal,
  ): Promise<{ name: string; versions: string[] }[]>;
  /** Directories of a repository that look like applications, with the plugin that would render each. */
  listApps(request: RevisionRequest, signal: AbortSignal): Promise<Record<string, string>>;
  /** Directories, or the content of files, of a git repository; what leads out of it is refused. */
  readGitContent(request: GitContentRequest, signal: AbortSignal): Promise<GitContent>;
  /** Files that are not what they were in an earlier commit of a git repository. */
  changedFiles(request: ChangedFilesRequest, signal: AbortSignal): Promise<FilesChanged>;
  /** Changes values of files on a branch by one commit, which is pushed; never by force, never what stands there. */
  writeFiles(request: FileWriteRequest, signal: AbortSignal): Promise<FilesWritten>;
  /** Connects with the given credentials; rejects with what is wrong. */
  testRepository(request: { repository: Repository }, signal: AbortSignal): Promise<void>;
  /** Says that `url` has new commits: the next resolution asks the remote again. */
  forgetRevisions(url: string): void;
  listPlugins(): Promise<readonly PluginSummary[]>;
}

/** What is known of a plugin without running it. */
export interface PluginSummary {
  name: string;
  shapes: readonly ("prepare" | "generate" | "transform")[];
  /** Ships with Capstan, is installed beside it, or is a Pipeline. */
  origin: "built-in" | "installed" | "pipeline";
  /** What makes an unnamed source its own: a glob, or "asks the plugin". */
  discovery?: string;
  /** What a rendering is kept under: the whole repository, what the plugin names, or what it was seen to read. */
  keyedBy: "repository" | "declared" | "observed";
  /** What a person should know: that there is no sandbox, or why what it read was no key for its last rendering. */
  notes?: readonly string[];
  sensitive: boolean;
  concurrency?: number;
  parameters: readonly ParameterAnnouncement[];
  /** Of a pipeline: its stages, each with its plugin. */
  stages?: readonly { name: string; plugin: string }[];
}

export interface RevisionRequest {
  repository: Repository;
  source: ApplicationSource;
  /** What to resolve; default `source.targetRevision`. */
  revision?: string;
  /** true: ask the remote even when a recent answer is known (Argo CD: CompareWithLatestForceResolve). */
  noRevisionCache?: boolean;
  /** Stands for the repository's files: a folder as tar packed with gzip, in base64. */
  uploaded?: string;
  /**
   * An answer of the remote that is kept counts only when the remote was asked at this time or later (milliseconds
   * since 1970, by the repo server's clock, as `askedAt` of its answers). Default: as long as the server keeps it.
   */
  revisionNotBefore?: number;
}

export interface ChangedFilesRequest extends RevisionRequest {
  /** The earlier commit. */
  since: string;
}

export interface FilesChanged {
  revision: string;
  /** Paths, those that are gone included; absent where there are more than 10,000, or where nobody can say. */
  files?: readonly string[];
}

export interface ResolvedRevision {
  /** Commit SHA, chart version or digest. */
  revision: string;
  /** "main (abc…)" as Argo CD's UI shows it. */
  ambiguous: string;
  /** When the remote was asked; absent when there was nothing to ask. */
  askedAt?: number;
  /**
   * What the name stood for, where it is one that should stand for the same for ever: the commit of a tag, the digest
   * of a chart's version or of an artifact's tag.
   */
  meaning?: string;
}

export interface RevisionMetadata {
  author: string;
  date: string;
  message: string;
  tags: string[];
  /** In words, where it was asked for. */
  signatureInfo?: string;
  /** Of a chart, where details are asked for: what its Chart.yaml says to people. */
  chart?: { description: string; home: string; maintainers: string[] };
  /** Of an artifact in a registry: the annotations of its manifest. */
  artifact?: Readonly<Record<string, string>>;
}

/** `revision` is the commit that is used; the source says by which name. */
export interface SignatureRequest extends RevisionRequest {
  revision: string;
  demand: { readonly mode: "head" | "strict"; readonly keys: readonly string[] };
  /** Armored public keys. */
  keyring: readonly string[];
}

export interface MetadataRequest extends RevisionRequest {
  /** Also what has to be fetched for it. */
  withDetails?: boolean;
  /** Also what is to be said of the commit's signature, as it is demanded. */
  signatures?: Pick<SignatureRequest, "demand" | "keyring">;
}

export interface ManifestRequest extends RevisionRequest {
  /** Instance name: `name`, or `namespace_name` for applications outside the control namespace. */
  appName: string;
  /** `destination.namespace`. */
  namespace: string;
  project: string;
  /** Sources that `$ref/…` value files point into, by ref name. */
  refSources?: Readonly<Record<string, { repository: Repository; source: ApplicationSource }>>;
  kubeVersion: string;
  apiVersions: readonly string[];
  /** Hard refresh: neither manifest cache nor failure cache. */
  noCache?: boolean;
  /** Repositories with their credentials that the project may use for remote bases and chart dependencies. */
  repositories?: readonly Repository[];
  /** Credentials by the beginning of URLs, for repositories that have none of their own. */
  credentialTemplates?: readonly Repository[];
  /** `spec.sourceRepos` of the project, for remote bases and dependencies. */
  sourceRepos?: NonNullable<AppProject["spec"]>["sourceRepos"];
  /** The project's annotation capstan.dev/secret-stores; absent: what the repo server's operator says for all. */
  secretStores?: string;
  /** The destination is the cluster that runs Capstan: only then its namespace is the application's own there. */
  isDestinationHere?: boolean;
  /** Value of the manifest-generate-paths annotation. */
  manifestGeneratePaths?: string;
  settings?: RenderSettings;
}

/** Slice of argocd-cm that changes what is rendered. */
export interface RenderSettings {
  kustomizeBuildOptions?: string;
  /** Programs by version. */
  kustomizeVersions?: Readonly<Record<string, string>>;
  disabledTypes?: readonly ("Helm" | "Kustomize" | "Jsonnet")[];
  helmValuesFileSchemes?: readonly string[];
  /** The content of submodules is not wanted. */
  withoutSubmodules?: boolean;
}

export interface RenderedManifest {
  manifest: Manifest;
  /** Digest of the manifest's JSON: equal digests, equal manifests. */
  digest: string;
  /** Where it stood in the tool's output or in the repository, for errors and the UI. */
  origin?: { file: string; document?: number; line?: number };
  /** Values that a sensitive stage may have put there: for the cluster, and not to be shown. */
  secretPaths?: readonly (readonly (string | number)[])[];
}

export interface ManifestResponse {
  /** Shared with the cache: never change one. No tracking metadata, no destination namespace added. */
  manifests: readonly RenderedManifest[];
  revision: string;
  /** Absent where another answer to the same request may be another one. */
  key?: AnswerKey;
  /** Of `refSources`, by name, at which they were read. */
  refRevisions?: Readonly<Record<string, string>>;
  /** When the remote was asked for the revision; absent when there was nothing to ask. */
  askedAt?: number;
  /** As a ResolvedRevision has it. */
  meaning?: string;
  /** Helm, Kustomize, Directory or Plugin, as Argo CD's status.sourceType says. */
  sourceType: string;
  /** Name of the plugin that rendered. */
  plugin: string;
  /** Tool invocations with temporary paths replaced by ".". */
  commands: readonly string[];
  /** hit: nothing ran. */
  cache: "hit" | "miss";
  timings: RenderTimings;
  /** It holds secrets, which are to be asked for again after this time. */
  validForMs?: number;
  /** What a person should know of this run although it went well. */
  notes?: readonly RenderNote[];
}

/** `reason` of the event: a plugin had to be asked elsewhere, or made Secrets and had not said that it would. */
export interface RenderNote {
  reason: "PluginAskedAgain" | "SecretsNotDeclared";
  message: string;
}

/** Milliseconds; each stage by its plugin's name. */
export interface RenderTimings {
  queueMs: number;
  fetchMs: number;
  chooseMs: number;
  transferMs: number;
  stages: readonly { name: string; ms: number }[];
}

/** How a render came about. A source without a pipeline has one stage. */
export interface RenderExplanation {
  revision: string;
  sourceType: string;
  plugin: string;
  timings: RenderTimings;
  stages: readonly ExplainedStage[];
}

export interface ExplainedStage {
  name: string;
  plugin: string;
  shapes: readonly ("prepare" | "generate" | "transform")[];
  /** hit: it did not run now; `ms` is then what its last run took, 0 when that is not known. */
  cache: "hit" | "miss";
  ms: number;
  /** Values are masked, with a digest by which a change shows. */
  sensitive: boolean;
  files: readonly ChangedFile[];
  /** All manifests after the stage. */
  manifests: readonly Manifest[];
  commands: readonly string[];
  /** What the plugin says it takes. */
  announced: readonly ParameterAnnouncement[];
  parameters: readonly PluginParameter[];
  env: readonly { name: string; value: string }[];
}

/** What an application can set for one source. */
export interface SourceDescription {
  plugin: string;
  sourceType: string;
  /** Those of a pipeline; else one. */
  stages: readonly DescribedStage[];
  /** Of a chart that is no stage of a pipeline: files that look like value files, values.yaml, and each value. */
  helm?: {
    valueFiles: readonly string[];
    values: string;
    parameters: readonly { name: string; value: string }[];
  };
  /** Of a kustomization that is no stage of a pipeline: images before the source overrides them. */
  kustomize?: { images: readonly string[] };
}

export interface DescribedStage {
  name: string;
  plugin: string;
  sensitive: boolean;
  announced: readonly ParameterAnnouncement[];
  /** Why the plugin could not be asked; `announced` is then what its definition says. */
  problem?: string;
  /** What the pipeline itself sets. */
  parameters: readonly PluginParameter[];
  env: readonly { name: string; value: string }[];
}

/** Texts are absent where there is none, and where it is binary, large or sensitive. */
export interface ChangedFile {
  path: string;
  change: "added" | "changed" | "removed";
  before?: string;
  after?: string;
}
