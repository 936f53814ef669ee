import type { ParameterAnnouncement } from "@capstan/model";
import type { WaitingSandbox } from "./isolation/waiting-sandbox.ts";
import type { GeneratedManifest, Log, Observed } from "./plugin.ts";
import { fileName } from "./rooted/file-name.ts";

export type Shape = "prepare" | "generate" | "transform";

/** What a server tells of a plugin before it is used. */
export interface PluginDescription {
  readonly name: string;
  readonly version?: string;
  /** Changes whenever the definition, the settings or the program changes: part of every cache key. */
  readonly digest: string;
  readonly shapes: readonly Shape[];
  /** The first that is set decides; absent: only used when named. */
  readonly discovery?: {
    readonly fileName?: string;
    readonly findGlob?: string;
    readonly findCommand?: boolean;
  };
  /** What the output depends on; absent: the whole repository. */
  readonly inputs?: {
    readonly globs?: readonly string[];
    readonly observe?: boolean;
    readonly pathOnly?: boolean;
  };
  readonly parameters: readonly ParameterAnnouncement[];
  /** `announce` tells more. */
  readonly dynamicParameters: boolean;
  /** The output holds secrets: it rests on no disk; absent: where it holds a Secret with data. */
  readonly sensitive?: boolean;
  readonly preserveFileMode: boolean;
  readonly provideGitCreds: boolean;
  /** Runs at the same time; absent: as many as the server allows. */
  readonly concurrency?: number;
  /** What a person should know: that there is no sandbox, that reading cannot be observed here. */
  readonly notes?: readonly string[];
}

/** One source, on disk: a copy of its own in which a plugin may write. */
export interface SourceRun {
  /** Where the repository's root is. */
  readonly root: string;
  /** Where the roots of `ref` sources are. */
  readonly refs: Readonly<Record<string, string>>;
  /** The application's directory from the root; "" is the root. */
  readonly path: string;
  /** For files of the plugin's own; gone when the run ends. */
  readonly scratch: string;
  /** Holds the directories of all runs. */
  readonly base?: string;
  /** The user that the files belong to and commands run as, where the repository has one of its own. */
  readonly owner?: number;
  /** For the first command, if it shows these very directories. */
  readonly sandbox?: WaitingSandbox;
  /** What the protocol gives, without the server's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** What the commands write to standard error, as it comes. */
  onStderr(text: string): void;
  /** What the source has at a path, whatever the run did to it since; only over Capstan's protocol. */
  kindAt?(path: string): "directory" | "file" | "symlink" | undefined;
  /** Work that outlives the answer: the copy stays until it has ended. */
  keepUntil(ended: Promise<unknown>): void;
  /** Only over Capstan's protocol. */
  readonly details?: SourceDetails;
}

export interface SourceDetails {
  /** hard: what the plugin itself has cached may not be used. */
  readonly refresh: "normal" | "hard";
  readonly application: string;
  readonly project: string;
  readonly namespace: string;
  readonly revision: string;
  readonly sourceJson: string;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  /** Variables with which git reaches a repository; "" is that of the source. */
  credentials(repository: string): Promise<Readonly<Record<string, string>>>;
}

export interface RunResult {
  /** What a command printed, or what a plugin in TypeScript made. */
  readonly output: { readonly text: string } | { readonly manifests: readonly GeneratedManifest[] };
  readonly commands: readonly string[];
  readonly timings: readonly { readonly name: string; readonly ms: number }[];
  readonly observed?: Observed;
}

/** What a server can serve: a plugin.yaml run as commands, or a plugin in TypeScript. */
export interface ServedPlugin {
  /** A sandbox for the first command of a run that is yet to come, where commands have one. */
  wait?(place: Pick<SourceRun, "root" | "scratch" | "base" | "owner">): Promise<WaitingSandbox | undefined>;
  /** The user of its own under which a repository's commands run, where there is one. */
  ownerOf?(repository: string): number | undefined;
  describe(): Promise<PluginDescription>;
  /** Whether the discovery of this plugin accepts the source; only asked where there is one. */
  match(run: SourceRun): Promise<boolean>;
  /** Dynamic parameters, without those that the description holds. */
  announce(run: SourceRun): Promise<readonly ParameterAnnouncement[]>;
  prepare?(run: SourceRun): Promise<RunResult>;
  generate?(run: SourceRun): Promise<RunResult>;
  transform?(manifests: readonly GeneratedManifest[], run: SourceRun): Promise<RunResult>;
}

/** The name that applications must use (Argo CD: cmpserver/plugin/config.go PluginConfig.Address). */
export function callName({ name, version }: Pick<PluginDescription, "name" | "version">): string {
  return version === undefined || version === "" ? name : `${name}-${version}`;
}

/** The file of a plugin's socket; whoever wrote the name has no say in where it is made. */
export function socketFile(plugin: Pick<PluginDescription, "name" | "version">): string {
  return fileName(`${callName(plugin)}.sock`, "the plugin's name");
}
