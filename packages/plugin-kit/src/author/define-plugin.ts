import type { Clock } from "@capstan/flow";
import { checkName, type Log, type PluginFacts } from "../plugin.ts";
import type { CommandOutput } from "../run-command.ts";
import type { Parameters, ParameterValues } from "./parameters.ts";

/** Any Kubernetes object, as a plain object: from a library's types, or written down. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata?: { name?: string; namespace?: string } | undefined;
}

/** Objects, or one with the place that it came from, which errors later on then name. */
export type Output =
  | KubernetesObject
  | { object: KubernetesObject; file: string; document?: number; line?: number };

/** One source to render: a copy of it, in which the plugin may write. */
export interface PluginRun<P extends Parameters = Parameters> {
  readonly parameters: ParameterValues<P>;
  /** Absolute; the application's directory. */
  readonly directory: string;
  /** Absolute; the repository's root. */
  readonly root: string;
  /** The application's directory from the root; "" is the root. */
  readonly path: string;
  /** Roots of the application's `ref` sources, by name. */
  readonly refs: Readonly<Record<string, string>>;
  /** Absolute; for files of the plugin's own, gone after the run. */
  readonly scratch: string;
  /** What the protocol gives: ARGOCD_APP_NAME, KUBE_VERSION and so on (Argo CD: reposerver/repository getPluginEnvs). */
  readonly env: Readonly<Record<string, string>>;
  /** The application's own variables, by the names that it gives them (`plugin.env`). */
  readonly variables: Readonly<Record<string, string>>;
  readonly app: { readonly name: string; readonly namespace: string; readonly project: string };
  readonly revision: string;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly clock: Clock;
  /** Text of a file of the application's directory, or from the root with a leading slash. */
  read(file: string): Promise<string>;
  /** Files below the application's directory that match, in byte order; `**` crosses directories. */
  glob(pattern: string): Promise<string[]>;
  /** Objects of a YAML or JSON file, with their places. */
  readManifests(file: string): Promise<Output[]>;
  /** Runs a program in the application's directory; rejects with what it said when it fails. */
  run(program: string, args?: readonly string[], options?: RunOptions): Promise<CommandOutput>;
}

export interface RunOptions {
  stdin?: string;
  env?: Readonly<Record<string, string>>;
  cwd?: string;
}

export interface PluginDefinition<P extends Parameters = Parameters> extends PluginFacts {
  /** Becomes part of the name that applications use: NAME-VERSION. */
  readonly version?: string;
  readonly parameters?: P;
  /** What the output depends on, as globs from the application's directory; absent: the whole repository. */
  readonly inputs?: readonly string[];
  /** Changes files before they are rendered, here or by the next stage. */
  prepare?(run: PluginRun<P>): Promise<void> | void;
  /** Makes manifests from files. */
  generate?(run: PluginRun<P>): Promise<readonly Output[]> | readonly Output[];
  /** Changes manifests that other stages have made. */
  transform?(
    manifests: readonly KubernetesObject[],
    run: PluginRun<P>,
  ): Promise<readonly Output[]> | readonly Output[];
}

/** A plugin that may be served, tested and run in process. */
export interface DefinedPlugin<P extends Parameters = Parameters> {
  readonly definition: PluginDefinition<P>;
}

/** The form in which a plugin is written in TypeScript: `parameters` gives both the form and the types. */
export function definePlugin<const P extends Parameters = Record<never, never>>(
  definition: PluginDefinition<P>,
): DefinedPlugin<P> {
  const { name, prepare, generate, transform } = definition;
  checkName(name);
  if (!prepare && !generate && !transform)
    throw new TypeError(`plugin ${name} must have at least one of prepare, generate and transform`);
  return { definition };
}
