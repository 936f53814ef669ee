import { withoutUserinfos } from "../repository/repository-address.ts";
import type { Failure, FailureCode, FieldProblem, ForbiddenBecause } from "./failure.ts";

type Describers = { [C in FailureCode]: (facts: Failure<C>) => string };

interface Place {
  file?: string;
  document?: number;
  line?: number;
  column?: number;
}

/** "apps/web.yaml: document 2, line 14, column 3", as much of it as is known. */
export function formatPlace({ file, document, line, column }: Place): string {
  const parts: string[] = [];
  if (document !== undefined) parts.push(`document ${document}`);
  if (line !== undefined) parts.push(`line ${line}`);
  if (column !== undefined) parts.push(`column ${column}`);
  const within = parts.join(", ");
  if (file === undefined) return within;
  return within === "" ? file : `${file}: ${within}`;
}

function at(place: Place): string {
  const text = formatPlace(place);
  return text === "" ? "" : ` in ${text}`;
}

function among(names: readonly string[] | undefined, what: string): string {
  if (names === undefined) return "";
  if (names.length === 0) return `; there are no ${what}`;
  const shown = names.slice(0, 10).join(", ");
  return `; ${what}: ${shown}${names.length > 10 ? ` and ${names.length - 10} more` : ""}`;
}

function bytes(count: number): string {
  if (count < 1024) return `${count} bytes`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(Math.floor(Math.log2(count) / 10), units.length);
  return `${Number((count / 1024 ** power).toFixed(1))} ${units[power - 1] ?? "bytes"}`;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}

function listProblems(problems: readonly FieldProblem[]): string {
  return problems.map(describeProblem).join("; ");
}

/** `line 7: spec.inputz: is not a field …` */
export function describeProblem({ line, field, message }: FieldProblem): string {
  const place = line === undefined ? "" : `line ${line}: `;
  return field === "" ? `${place}${message}` : `${place}${field}: ${message}`;
}

const describers: Describers = {
  REPOSITORY_UNREACHABLE: (f) =>
    `repository not accessible: cannot reach repository ${f.repository}: ${f.problem}. Check the URL and the network between here and there`,
  REPOSITORY_AUTH: (f) =>
    `repository ${f.repository} needs other credentials${f.problem === undefined ? "" : `: ${f.problem}`}. Add or correct them with: capstan repo add`,
  REPOSITORY_MISSING: (f) =>
    `there is no repository at ${f.repository}, or its credentials do not let us see it. Check the URL, or add credentials with: capstan repo add`,
  REVISION_MISSING: (f) =>
    `repository ${f.repository} has no branch, tag or commit "${f.revision}". Correct targetRevision or push it`,
  VERSION_MISSING: (f) =>
    `no version of ${f.chart ?? "the tags"} in ${f.repository} satisfies "${f.constraint}"${among(f.available, "available versions")}`,
  CHART_MISSING: (f) => `repository ${f.repository} has no chart "${f.chart}". Check source.chart`,

  PATH_MISSING: (f) =>
    `${f.path}: app path does not exist${f.repository === undefined ? "" : ` in ${f.repository}`}${f.revision === undefined ? "" : ` at ${f.revision}`}. Correct source.path or push the directory`,
  PATH_OUTSIDE: (f) =>
    `${f.field ?? "path"} "${f.path}" leads out of the repository. Use a path relative to the repository's root, without ..`,
  SYMLINK_OUTSIDE: (f) =>
    `${f.file} is a symbolic link to ${f.target}, outside of the repository. Replace it by a copy or a link within the repository`,
  // As helm says it of its value files: scripts look for it.
  FILE_MISSING: (f) =>
    `${f.neededBy?.startsWith("source.helm.") ? "Error: " : ""}open ${f.file}: no such file or directory${f.neededBy === undefined ? "" : `, but ${f.neededBy} refers to it`}${f.hint === undefined ? "" : `. ${f.hint}`}`,
  FILE_TOO_LARGE: (f) =>
    `${f.file} has ${bytes(f.bytes)}, more than the limit of ${bytes(f.limitBytes)}. Make it smaller or exclude it`,
  TREE_TOO_LARGE: (f) =>
    `the manifests under ${f.path} have ${bytes(f.bytes)} together, more than the limit of ${bytes(f.limitBytes)}`,
  OUTPUT_TOO_LARGE: (f) => `${f.what} printed more than the limit of ${bytes(f.limitBytes)}`,
  YAML_INVALID: (f) => `invalid YAML${at(f)}: ${f.problem}`,
  MANIFEST_INVALID: (f) =>
    `invalid manifest${at(f)}: ${f.field === undefined ? "" : `${f.field}: `}${f.problem}`,
  DECRYPTION_FAILED: (f) =>
    `${f.file} cannot be decrypted${f.key === undefined ? "" : ` at ${f.key}`}: ${f.problem}`,
  SEVERAL_TOOLS: (f) =>
    `${f.source ?? "the source"} is configured for several tools: ${f.tools.join(", ")}. Keep one of them`,
  TOOL_FAILED: (f) =>
    `${f.tool} failed with exit code ${f.exitCode} (${f.command})${f.stderr.trim() === "" ? " and printed nothing" : `: ${f.stderr.trim()}`}`,
  TOOL_MISSING: (f) => `program ${f.tool} is not installed${f.hint === undefined ? "" : `. ${f.hint}`}`,
  PLUGIN_MISSING: (f) =>
    f.plugin === ""
      ? `no installed plugin recognises this directory${among(f.available, "installed plugins")}`
      : `there is no plugin "${f.plugin}"${among(f.available, "installed plugins")}`,
  PLUGIN_FAILED: (f) => `plugin ${f.plugin} failed${at(f)}: ${f.problem}`,
  PLUGIN_UNREACHABLE: (f) => `plugin ${f.plugin} does not answer at ${f.address}: ${f.problem}`,
  TIMED_OUT: (f) =>
    f.waitedMs === undefined
      ? `${f.what} took longer than ${seconds(f.afterMs)}`
      : `${f.what} took longer than ${seconds(f.afterMs)} (waited ${seconds(f.waitedMs)} for its turn, ran ${seconds(f.afterMs)})`,

  KIND_MISSING: (f) =>
    `the cluster does not know ${f.apiVersion} ${f.kind}. Install its CRD first${among(f.versions, "versions it has of this kind")}`,
  CLUSTER_MISSING: (f) =>
    `${f.isName ? "there are no clusters with this name:" : "there is no cluster"} "${f.cluster}". Add it, or correct spec.destination (capstan cluster list shows what there is)`,
  CLUSTER_DISABLED: (f) =>
    `cluster "${f.cluster}" is disabled: cluster.inClusterEnabled of ConfigMap argocd-cm says so`,
  CLUSTER_AMBIGUOUS: (f) => `several clusters are called "${f.name}". Use destination.server instead`,
  REJECTED: (f) => `the cluster rejects ${f.what}: ${f.problem}`,
  CONFLICT: (f) =>
    `${f.what} was changed meanwhile${f.problem === undefined ? "" : `: ${f.problem}`}. Read it again and retry`,
  GONE: (f) => `${f.what} is too old to continue from`,
  TOO_MANY_REQUESTS: (f) =>
    `${f.what} receives too many requests${f.retryAfterMs === undefined ? "" : `; try again in ${seconds(f.retryAfterMs)}`}`,

  PROJECT_MISSING: (f) =>
    `Application referencing project ${f.project} which does not exist, or is not allowed in it. Create the project, or correct spec.project`,
  DESTINATION_FORBIDDEN: (f) =>
    `application destination server '${f.destination}' and namespace '${f.namespace}' do not match any of the allowed destinations in project '${f.project}'. Add it to the project's spec.destinations`,
  CHARTS_FORBIDDEN: (f) =>
    `helm repos ${f.repositories.join(", ")} are not permitted in project '${f.project}'. Add them to the project's spec.sourceRepos`,
  SOURCE_FORBIDDEN: (f) =>
    `application repo ${f.repository} is not permitted in project '${f.project}'. Add it to the project's spec.sourceRepos`,
  NAMESPACE_FORBIDDEN: (f) =>
    `project ${f.project} does not permit applications in namespace ${f.namespace}. Add it to the project's spec.sourceNamespaces`,
  CLUSTER_FORBIDDEN: (f) =>
    `cluster ${f.cluster} belongs to ${f.owner === undefined ? "no project" : `project ${f.owner}`}, and project ${f.project} may not deploy there`,
  OBJECT_FORBIDDEN: (f) => `${f.object}: ${describeRule(f.project, f.because)}`,
  // The beginning is Argo CD's (controller/sync.go).
  NO_ACCOUNT: (f) =>
    `failed to find a matching service account to impersonate: project ${f.project}: ${f.problem}`,
  UNAUTHENTICATED: (f) => `not logged in: ${f.problem}`,
  // Word for word Argo CD's (util/session): scripts look for it.
  LOGIN_REFUSED: () => "Invalid username or password",
  FORBIDDEN: (f) =>
    `permission denied: ${f.user === undefined ? "you" : f.user} may not ${f.action} ${f.what}`,
  // Argo CD's words (util/rbac EnforceErr): they are those of the line that a policy lacks.
  RIGHT_MISSING: (f) => `permission denied: ${f.resource}, ${f.action}, ${f.object}, sub: ${f.user}`,

  INVALID_ARGUMENT: (f) => `${f.field}: ${f.problem}`,
  INVALID_SPEC: (f) => `${f.what} is invalid: ${listProblems(f.problems)}`,
  NOT_FOUND: (f) => `${f.what} does not exist`,
  ALREADY_EXISTS: (f) => `${f.what} exists already`,
  OPERATION_RUNNING: (f) =>
    `another operation is already in progress on application ${f.application}. Wait for it or terminate it`,
  SYNC_BLOCKED: (f) => `application ${f.application} cannot be synced now: ${f.problem}`,
  FAILED_PRECONDITION: (f) => `${f.what}: ${f.problem}`,
  QUEUE_FULL: (f) => `${f.queue} is full (${f.limit} waiting). Try again later`,
  UNAVAILABLE: (f) => `${f.what} is not available: ${f.problem}`,
  UNIMPLEMENTED: (f) => `${f.what} is not implemented`,
  INTERNAL: (f) => `internal error: ${f.problem}`,
};

/** A sentence without the passwords that may stand in addresses. */
export function describeFailure<C extends FailureCode>(failure: Failure<C>): string {
  const describe: (facts: Failure<C>) => string = describers[failure.code];
  const { stage } = failure;
  const told = `${stage === undefined ? "" : `stage ${stage}: `}${describe(failure)}`;
  const text = withoutUserinfos(told);
  return failure.cachedUntil === undefined
    ? text
    : `${text} (cached failure; tried again after ${failure.cachedUntil})`;
}

/** The wording of Argo CD's permission validator (controller/sync.go), then the rule. */
function describeRule(project: string, because: ForbiddenBecause): string {
  if (because.what === "kind")
    return `resource ${because.group}:${because.kind} is not permitted in project ${project}. See the project's spec.${because.rule}`;
  return `namespace ${because.namespace} is not permitted in project '${project}'. See the project's spec.destinations`;
}
