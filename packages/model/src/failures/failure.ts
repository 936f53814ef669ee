/**
 * Every way in which work can fail, as a code with its facts. Texts are derived (describe-failure.ts), status codes
 * are chosen in one place (wire). A cause may hold anything and is for the log only.
 */

export interface FieldProblem {
  /** spec.source.helm.parameters[0].name */
  field: string;
  severity: "error" | "warning";
  /** What is wrong and what to do. */
  message: string;
  /** Of a field that nobody knows: the one that was probably meant. */
  meant?: string;
  /** Of the file, counted from 1. */
  line?: number;
}

interface Place {
  file?: string;
  /** Counted from 1, as people count. */
  document?: number;
  line?: number;
  column?: number;
}

interface GitFacts {
  REPOSITORY_UNREACHABLE: { repository: string; problem: string };
  REPOSITORY_AUTH: { repository: string; problem?: string };
  REPOSITORY_MISSING: { repository: string };
  REVISION_MISSING: { repository: string; revision: string };
  VERSION_MISSING: { repository: string; constraint: string; chart?: string; available?: readonly string[] };
  CHART_MISSING: { repository: string; chart: string };
}

interface RenderFacts {
  PATH_MISSING: { path: string; repository?: string; revision?: string };
  PATH_OUTSIDE: { path: string; field?: string };
  SYMLINK_OUTSIDE: { file: string; target: string };
  FILE_MISSING: { file: string; neededBy?: string; hint?: string };
  FILE_TOO_LARGE: { file: string; bytes: number; limitBytes: number };
  TREE_TOO_LARGE: { path: string; bytes: number; limitBytes: number };
  OUTPUT_TOO_LARGE: { what: string; limitBytes: number };
  YAML_INVALID: Place & { problem: string };
  MANIFEST_INVALID: Place & { field?: string; problem: string };
  /** Of a file that SOPS encrypted; `key` is where in it. */
  DECRYPTION_FAILED: { file: string; key?: string; problem: string };
  SEVERAL_TOOLS: { tools: readonly string[]; source?: string };
  TOOL_FAILED: { tool: string; command: string; exitCode: number; stderr: string };
  TOOL_MISSING: { tool: string; hint?: string };
  PLUGIN_MISSING: { plugin: string; available?: readonly string[] };
  PLUGIN_FAILED: Place & { plugin: string; problem: string };
  PLUGIN_UNREACHABLE: { plugin: string; address: string; problem: string };
  /** `waitedMs`: for its turn, before that time began. */
  TIMED_OUT: { what: string; afterMs: number; waitedMs?: number };
}

interface ClusterFacts {
  KIND_MISSING: { apiVersion: string; kind: string; versions?: readonly string[] };
  /** `isName`: it was asked for by its name, not by its address. */
  CLUSTER_MISSING: { cluster: string; isName?: boolean };
  CLUSTER_DISABLED: { cluster: string };
  CLUSTER_AMBIGUOUS: { name: string };
  /** The API server refused an object: 400 or 422. */
  REJECTED: { what: string; problem: string };
  CONFLICT: { what: string; problem?: string };
  GONE: { what: string };
  TOO_MANY_REQUESTS: { what: string; retryAfterMs?: number };
}

/** The rule of a project that an object meets. */
export type ForbiddenBecause =
  | { what: "kind"; group: string; kind: string; rule: KindRule }
  | { what: "namespace"; namespace: string };

/** The list in an AppProject's spec that leaves a kind out, or names it. */
export type KindRule =
  | "clusterResourceWhitelist"
  | "clusterResourceBlacklist"
  | "namespaceResourceWhitelist"
  | "namespaceResourceBlacklist";

interface AccessFacts {
  PROJECT_MISSING: { project: string };
  DESTINATION_FORBIDDEN: { project: string; destination: string; namespace: string };
  SOURCE_FORBIDDEN: { project: string; repository: string };
  /** Of a chart's dependencies. */
  CHARTS_FORBIDDEN: { project: string; repositories: readonly string[] };
  NAMESPACE_FORBIDDEN: { project: string; namespace: string };
  CLUSTER_FORBIDDEN: { project: string; cluster: string; owner: string | undefined };
  /** One object, whatever was to be done with it. */
  OBJECT_FORBIDDEN: { object: string; project: string; because: ForbiddenBecause };
  /** A service account is to act for the application (argocd-cm application.sync.impersonation.enabled), and none can. */
  NO_ACCOUNT: { project: string; problem: string };
  UNAUTHENTICATED: { problem: string };
  /** The same whatever was wrong. */
  LOGIN_REFUSED: object;
  FORBIDDEN: { action: string; what: string; user?: string };
  /** A right that a policy could give. */
  RIGHT_MISSING: { resource: string; action: string; object: string; user: string };
}

interface InputFacts {
  INVALID_ARGUMENT: { field: string; problem: string };
  INVALID_SPEC: { what: string; problems: readonly FieldProblem[] };
  NOT_FOUND: { what: string };
  ALREADY_EXISTS: { what: string };
  OPERATION_RUNNING: { application: string };
  SYNC_BLOCKED: { application: string; problem: string };
  /** The state of things does not permit the request; `problem` says which state and what to do. */
  FAILED_PRECONDITION: { what: string; problem: string };
  QUEUE_FULL: { queue: string; limit: number };
  UNAVAILABLE: { what: string; problem: string };
  UNIMPLEMENTED: { what: string };
  INTERNAL: { problem: string };
}

export interface FailureFacts extends GitFacts, RenderFacts, ClusterFacts, AccessFacts, InputFacts {}

export type FailureCode = keyof FailureFacts;

/** `cachedUntil`: the failure is an earlier one, told again; RFC 3339. `stage`: where in a pipeline it happened. */
export type Failure<C extends FailureCode = FailureCode> = {
  [K in C]: { code: K; cachedUntil?: string; stage?: string } & FailureFacts[K];
}[C];
