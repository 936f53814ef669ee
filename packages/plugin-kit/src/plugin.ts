import type { Clock } from "@capstan/flow";
import type {
  ApplicationSource,
  Manifest,
  ParameterAnnouncement,
  PipelineStage,
  PluginParameter,
  Repository,
  SecretStores,
} from "@capstan/model";
import type { SourceDescription } from "@capstan/wire";
import type { Command, CommandOutput } from "./run-command.ts";
import type { SourceTree } from "./source-tree.ts";

/** One source to render: what a plugin may base its output on. */
export interface RenderContext {
  /** The whole repository, or the chart. */
  readonly tree: SourceTree;
  /** The application's directory in it; "" is the root. */
  readonly path: string;
  /** Trees that `$name/…` value files point into. */
  readonly refs: Readonly<Record<string, SourceTree>>;
  /** Overrides in the repository already applied. */
  readonly source: ApplicationSource;
  /** Instance name: `name`, or `namespace_name`. */
  readonly appName: string;
  /** `destination.namespace`. */
  readonly namespace: string;
  readonly project: string;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  /** Variables of Argo CD's build environment (reposerver/repository newEnv), without those of the plugin. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings: RenderContextSettings;
  /** What the project may read of secret stores; absent: whoever asks reads what is his own. */
  readonly secretStores?: SecretStores;
  /** The application's annotation of that name: what its output depends on, for plugins that name no inputs. */
  readonly manifestGeneratePaths?: string;
}

/** Slice of argocd-cm that changes what is rendered. */
export interface RenderContextSettings {
  readonly kustomizeBuildOptions?: string;
  /** Programs by version. */
  readonly kustomizeVersions?: Readonly<Record<string, string>>;
  readonly disabledTypes?: readonly ("Helm" | "Kustomize" | "Jsonnet")[];
  readonly helmValuesFileSchemes?: readonly string[];
  /** The content of submodules is not wanted. */
  readonly withoutSubmodules?: boolean;
}

/** What the output depends on: two renders with equal inputs give the same manifests. */
export interface Inputs {
  /** Files and directories that may be read, from the repository's root; also those that are not there yet. */
  readonly paths: readonly string[];
  /** The same in the trees of `$ref` sources. */
  readonly refs: Readonly<Record<string, readonly string[]>>;
  /** Everything else that counts, as JSON. */
  readonly facts: unknown;
}

export interface GeneratedManifest {
  readonly manifest: Manifest;
  readonly origin?: { file: string; document?: number; line?: number };
  /** Where a sensitive stage may have put secrets; told by the render side. */
  readonly secretPaths?: readonly (readonly (string | number)[])[];
}

export interface Generated {
  readonly manifests: readonly GeneratedManifest[];
  /** Tool invocations with temporary paths replaced by ".". */
  readonly commands: readonly string[];
  /** Where the time went, as far as the plugin tells: queue, transfer, or a command's name. */
  readonly timings?: readonly { readonly name: string; readonly ms: number }[];
  /** What was read; absent where nobody watched. */
  readonly observed?: Observed;
  /** Milliseconds since 1970 after which what it holds has ended; absent: it does not end by itself. */
  readonly until?: number;
  /** Of a pipeline: what each stage took. */
  readonly stages?: readonly { readonly name: string; readonly ms: number }[];
}

/** What a run opened, listed or looked for in vain, from the tree's root. */
export interface Observed {
  readonly read: readonly string[];
  readonly listed: readonly string[];
  readonly missed: readonly string[];
  /** Why the output may depend on more than that: the network, a file elsewhere. Empty: it does not. */
  readonly unobservable: readonly string[];
}

/** A private copy of the inputs, gone when the render ends. */
export interface Workspace {
  /** Where the repository's root is. */
  readonly root: string;
  /** Where the roots of `$ref` trees are. */
  readonly refs: Readonly<Record<string, string>>;
  /** For files of the plugin's own; not in the repository. */
  readonly scratch: string;
}

/** A chart that another one depends on. */
export interface ChartRequest {
  /** URL of a Helm repository, oci://HOST/PATH, or @NAME of a repository that is known. */
  readonly repository: string;
  readonly name: string;
  /** A version or a constraint. */
  readonly version: string;
  /** In place of what is known of the repository. */
  readonly login?: Partial<Pick<Repository, "username" | "password" | "insecure">>;
  /** Also to other hosts that the repository's index names. */
  readonly passCredentials?: boolean;
}

/** What lets a program into a Helm repository or an OCI registry. */
export type ChartLogin = Pick<
  Repository,
  "username" | "password" | "insecure" | "tlsClientCertData" | "tlsClientCertKey" | "insecureOciForceHttp"
>;

export interface ChartArchive {
  readonly version: string;
  /** A packed chart. */
  readonly data: Buffer;
}

/** What a stage may have from elsewhere; each rejects where the project forbids the address. */
export interface Elsewhere {
  /** A chart, with the credentials that are known. */
  chart(request: ChartRequest): Promise<ChartArchive>;
  /** Of a Helm repository or a registry, for programs that download charts themselves. */
  chartLogin(repository: string): Promise<ChartLogin>;
  /** A git repository at a branch, tag or commit; "": HEAD. */
  repositoryTree(url: string, revision: string): Promise<SourceTree>;
  /** What an address answers by HTTP; the project may permit it as a file of `repository`, with which it begins. */
  file(url: string, repository?: string): Promise<Buffer>;
}

/** What a running stage may use. */
export interface Stage extends Elsewhere {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** Of this machine, as far as programs may have it: PATH, cache folders, proxies, git's configuration. */
  readonly env: Readonly<Record<string, string>>;
  /** What may be read: as the plugin named it, else everything. */
  readonly inputs: Inputs;
  /** hard: what the plugin itself has kept from earlier may not be used either. */
  readonly refresh: "normal" | "hard";
  /** Variables with which git reaches a repository, by default that of the source; rejects where the project forbids it. */
  credentials(repository?: string): Promise<Readonly<Record<string, string>>>;
  /** Tells the application's owner something although the run goes well. */
  note(text: string): void;
  /** Writes the inputs to disk on first use. */
  workspace(): Promise<Workspace>;
  /** Writes paths of a further tree into a folder of their own below `scratch`, which it gives. */
  layOut(tree: SourceTree, paths: readonly string[]): Promise<string>;
  /** Runs a program with the stage's environment, a private HOME and `env`, within the limits of a render. */
  run(
    command: Pick<
      Command,
      "program" | "args" | "shownArgs" | "cwd" | "tool" | "stdin" | "onStdout" | "installHint"
    > & {
      env?: Readonly<Record<string, string>>;
      /** Less than a render may take. */
      timeoutMs?: number;
    },
  ): Promise<CommandOutput>;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** When a plugin is used without being named, as in plugin.yaml: the first field that is set decides. */
export interface Discovery {
  /** Relative to the application's directory, without `**`. */
  readonly fileName?: string;
  readonly find?: { readonly glob: string };
}

/** One of the stages that a plugin stands for. */
export interface ExpandedStage {
  readonly name: string;
  readonly plugin: Plugin;
  /** Directory that it works in, below that of the plugin. */
  readonly path: string;
  /** It is given the manifests of stages with the same scope only. */
  readonly scope: string;
}

type StageConfig = NonNullable<PipelineStage["config"]>;

/** What makes a plugin one of the tools for which a source has a section of its own (Argo CD: ApplicationSourceType). */
export interface SourceTool {
  /** The section of `spec.source` that asks for it. */
  readonly section: "helm" | "kustomize" | "directory";
  /** What status.sourceType says, and by which argocd-cm switches it off. */
  readonly type: "Helm" | "Kustomize" | "Directory";
  /** Whether a file of this name makes its directory the tool's; absent: it takes the directories of no other tool. */
  isSign?(fileName: string): boolean;
  /** The section with a pipeline stage's parameters; absent: it takes none. */
  withParameters?(section: StageConfig, parameters: readonly PluginParameter[]): StageConfig;
}

/** What is said of a plugin in whichever way it is written: for a render, or with `definePlugin`. */
export interface PluginFacts {
  /** Lower-case letters, digits, "-" and ".". */
  readonly name: string;
  /** Which directories are the plugin's without its being named. */
  readonly discover?: Discovery;
  /**
   * The output holds secrets: it rests on no disk and is shown masked. Absent: where it holds a Secret with data, of a
   * plugin that is not Capstan's own.
   */
  readonly sensitive?: boolean;
  /** Runs at the same time; absent: in this process in turn with all others that do, elsewhere as many as asked for. */
  readonly concurrency?: number;
}

/** A plugin as a render has it, wherever it runs: how it is found, what it depends on, can be told, and does. */
export interface Plugin extends PluginFacts {
  /** Name without version, where its server tells both. */
  readonly plainName?: string;
  readonly tool?: SourceTool;
  /** Asks the plugin whether a source without a plugin's name is its own; absent where `discover` tells. */
  matches?(context: RenderContext, signal: AbortSignal): Promise<boolean>;
  readonly parameters?: readonly ParameterAnnouncement[];
  /** Parameters that it offers for a source, those of its definition included. */
  announce?(context: RenderContext, signal: AbortSignal): Promise<readonly ParameterAnnouncement[]>;
  /** What a form for a source shows beside parameters; `render` gives the manifests of the source as changed. */
  describe?(
    context: RenderContext,
    render: (change: (source: ApplicationSource) => ApplicationSource) => Promise<readonly Manifest[]>,
  ): Promise<Pick<SourceDescription, "helm" | "kustomize">>;
  /** Changes with the plugin's definition, settings and program: part of every cache key; absent: it is of Capstan's own. */
  readonly identity?: string;
  /**
   * What a rendering is kept under. inputs (the default): what `inputs` gives. declared: the same, and the commit's id
   * where the output shows it. observed: what the last runs read.
   */
  readonly keyedBy?: "inputs" | "declared" | "observed";
  /** What its server says that a person should know. */
  readonly notes?: readonly string[];
  /** Whether it reads nothing of the folders below the application's directory. */
  isFlat?(source: ApplicationSource): boolean;
  /** The stages that the plugin stands for on this source: it does nothing itself then. */
  expand?(context: RenderContext): Promise<readonly ExpandedStage[]>;
  /** Default: the whole repository and everything in the context. */
  inputs?(context: RenderContext): Promise<Inputs>;
  /** Changes files of the workspace before the generating stage. */
  prepare?(context: RenderContext, stage: Stage): Promise<void>;
  generate?(context: RenderContext, stage: Stage): Promise<Generated>;
  transform?(
    manifests: readonly GeneratedManifest[],
    context: RenderContext,
    stage: Stage,
  ): Promise<Generated>;
}

/** A plugin that runs inside Capstan and reads the tree without a copy of it. For all others there is definePlugin. */
export function inProcessPlugin(plugin: Plugin): Plugin {
  checkName(plugin.name);
  if (!plugin.prepare && !plugin.generate && !plugin.transform && !plugin.expand)
    throw new TypeError(
      `plugin ${plugin.name} must have at least one of prepare, generate, transform and expand`,
    );
  return plugin;
}

export function checkName(name: string): void {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
    throw new TypeError(`plugin name "${name}" must be lower-case letters, digits, "-" and "."`);
}
