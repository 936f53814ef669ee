import type { LocalFolders, Pipeline } from "@capstan/model";
import type { PluginService } from "./plugin-service.ts";

/** How a repo server's process works, told once at its start. */
export interface RepoServerSetup {
  /** Repositories, charts and cached renderings live here; one process at a time. */
  readonly dataDir: string;
  /** Folders of plugins' sockets; the first is preferred. */
  readonly pluginSockets: readonly string[];
  /** Globs of files that no plugin gets. */
  readonly pluginTarExclude: readonly string[];
  /** Plugins get only what the annotation manifest-generate-paths names. */
  readonly pluginUseManifestGeneratePaths: boolean;
  /** Folders of this machine that applications may name as repositories. */
  readonly folders: LocalFolders;
  /** Where repositories of this machine are to be had, of a process that sees none of them. */
  readonly localGit?: LocalGitAddress;
  /** Secret stores that applications may use whose project names none. */
  readonly secretStores: string;
  /** What it does is told step by step. */
  readonly isTraced?: boolean;
}

/** Speaks git's own protocol on the loopback; the token stands before the path. */
export interface LocalGitAddress {
  readonly port: number;
  readonly token: string;
}

/** What the cluster and the operator say, told at the start and at each change. */
export interface RepoServerState {
  readonly pipelines: readonly Pipeline[];
  readonly pluginServices: readonly PluginService[];
  readonly pluginAccess: PluginServiceAccess;
}

/** What a plugin that runs as a Service may ask of its callers, and who vouches for it; PEM texts, only over TLS. */
export interface PluginServiceAccess {
  /** For Services that have none of their own in `tokens`. */
  readonly token?: string;
  /** By names of Secrets (model: pluginTokenSecret). */
  readonly tokens?: Readonly<Record<string, string>>;
  readonly certificate?: { readonly certificate: string; readonly key: string };
  /** For Services that name no authority themselves; `from`: where it is written, for errors. */
  readonly authority?: { readonly authority: string; readonly from: string };
}

/** A Secret of the cluster that runs Capstan. */
export interface SecretRef {
  readonly namespace: string;
  readonly name: string;
}
