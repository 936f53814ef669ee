import { isDnsLabel } from "@capstan/formats";
import {
  type AppProject,
  CapstanError,
  type Failure,
  type ForbiddenBecause,
  formatKey,
  type ResourceKey,
} from "@capstan/model";
import type { ActingAs } from "./acting-account.ts";
import { permitsDestination, permitsNamespace, ruleAgainstKind } from "./project-rules.ts";

/** The cluster that an application deploys to, as its project sees it. */
export interface JudgedCluster {
  readonly server: string;
  readonly name: string;
  /** The project that the cluster's Secret names; absent for a cluster of all projects. */
  readonly project?: string | undefined;
  /** Scope of a kind; nothing for one that the cluster does not serve (yet). */
  kindOf(group: string, kind: string): { namespaced: boolean } | undefined;
}

export interface AccessInput {
  /** As it is now: whoever acts on an earlier one acts on rules that no longer hold. */
  project: AppProject;
  application: { namespace: string; name: string };
  controlNamespace: string;
  cluster: JudgedCluster;
  actsAs: ActingAs;
}

/**
 * The project lets its application touch this very object. Only this file makes one, after asking every rule;
 * kube changes, reads and deletes nothing for a tenant without it.
 */
class GivenPermit {
  readonly #server: string;
  readonly #key: ResourceKey;
  readonly #namespaced: boolean;
  /** `<project>/<namespace>/<application>`: for whom the request is made. */
  readonly onBehalfOf: string;

  constructor(place: { server: string; key: ResourceKey; namespaced: boolean }, onBehalfOf: string) {
    this.#server = place.server;
    this.#key = place.key;
    this.#namespaced = place.namespaced;
    this.onBehalfOf = onBehalfOf;
  }

  /** Whether it is about this object. `namespaced`: the kind's scope as the server tells it. */
  covers(server: string, key: ResourceKey, namespaced: boolean): boolean {
    const own = this.#key;
    return (
      server === this.#server &&
      namespaced === this.#namespaced &&
      key.group === own.group &&
      key.kind === own.kind &&
      key.name === own.name &&
      (!namespaced || key.namespace === own.namespace)
    );
  }
}

export type Permit = GivenPermit;

/**
 * What one application's project permits it in one cluster, object by object (v1alpha1 AppProject
 * IsLiveResourcePermitted, controller/sync.go WithPermissionValidator). Made for one run, and thrown away with it.
 */
class JudgedAccess {
  readonly #input: AccessInput;
  readonly #namespaces = new Map<string, boolean>();
  /** A reason for which the application may touch nothing at all. */
  readonly #barrier: Failure | undefined;
  readonly onBehalfOf: string;

  constructor(input: AccessInput) {
    const { application, project } = input;
    this.#input = input;
    this.#barrier = barrierOf(input);
    this.onBehalfOf = `${project.metadata.name}/${application.namespace}/${application.name}`;
  }

  get server(): string {
    return this.#input.cluster.server;
  }

  /** Whose rights count beside the project's. */
  get actsAs(): ActingAs {
    return this.#input.actsAs;
  }

  get project(): AppProject {
    return this.#input.project;
  }

  /** Throws what forbids it. */
  permit(key: ResourceKey): Permit {
    const refusal = this.refusalOf(key);
    if (refusal) throw new CapstanError(refusal);
    const namespaced = this.#isNamespaced(key);
    return new GivenPermit({ server: this.server, key, namespaced }, this.onBehalfOf);
  }

  permits(key: ResourceKey): boolean {
    return this.refusalOf(key) === undefined;
  }

  /** What forbids the object; nothing when it is permitted. */
  refusalOf(key: ResourceKey): Failure | undefined {
    if (this.#barrier) return this.#barrier;
    const { project } = this.#input;
    const namespaced = this.#isNamespaced(key);
    const rule = ruleAgainstKind(project, key, namespaced);
    if (rule) return this.#refusal(key, { what: "kind", group: key.group, kind: key.kind, rule });
    if (!namespaced || this.#permitsNamespace(key.namespace)) return undefined;
    return this.#refusal(key, { what: "namespace", namespace: key.namespace });
  }

  #refusal(key: ResourceKey, because: ForbiddenBecause): Failure {
    const project = this.#input.project.metadata.name;
    return { code: "OBJECT_FORBIDDEN", object: formatKey(key), project, because };
  }

  /** Of a kind that is not served the object itself tells; what the server says in the end must agree. */
  #isNamespaced({ group, kind, namespace }: ResourceKey): boolean {
    return this.#input.cluster.kindOf(group, kind)?.namespaced ?? namespace !== "";
  }

  #permitsNamespace(namespace: string): boolean {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const { project, cluster } = this.#input;
    const { server, name } = cluster;
    // Anything else is no namespace, and could mean another path of the API.
    const verdict = isDnsLabel(namespace) && permitsDestination(project, { server, name, namespace });
    this.#namespaces.set(namespace, verdict);
    return verdict;
  }
}

export type ProjectAccess = JudgedAccess;

export function projectAccess(input: AccessInput): ProjectAccess {
  return new JudgedAccess(input);
}

/** A cluster of another project, or an application that the project does not know. */
function barrierOf({ project, application, controlNamespace, cluster }: AccessInput): Failure | undefined {
  const own = project.metadata.name;
  if (!permitsNamespace(project, application.namespace, controlNamespace))
    return { code: "NAMESPACE_FORBIDDEN", project: own, namespace: application.namespace };
  return clusterRefusal(project, cluster);
}

/** Clusters with a project are that project's alone; one may be bound to those (permitOnlyProjectScopedClusters). */
export function clusterRefusal(
  project: AppProject,
  cluster: Pick<JudgedCluster, "name" | "project">,
): Failure | undefined {
  const own = project.metadata.name;
  if (cluster.project === own) return undefined;
  if (cluster.project === undefined && project.spec.permitOnlyProjectScopedClusters !== true)
    return undefined;
  return { code: "CLUSTER_FORBIDDEN", project: own, cluster: cluster.name, owner: cluster.project };
}
