import type { Permit, ProjectAccess } from "@capstan/engine/permit";
import { isRecord } from "@capstan/formats";
import { CapstanError, type Manifest, type ResourceKey } from "@capstan/model";
import type { ApiResource } from "../client/api-resource.ts";
import type { Discovery } from "../client/discovery.ts";
import type {
  ApplyOptions,
  DeleteOptions,
  KubeClient,
  ObjectRef,
  ObjectType,
  Patch,
  WriteOptions,
} from "../client/kube-client.ts";
import { withQuery } from "../client/object-paths.ts";
import type { PatchTypes } from "../client/patch-types.ts";
import { type PodCommand, type PodProcess, startInPod } from "../exec/pod-process.ts";
import type { KubeResponse } from "../transport/transport.ts";

export interface LogQuery {
  readonly [parameter: string]: string | number | boolean | undefined;
}

/**
 * One cluster's API for one application, within its project: every request needs a permit for its very object, and is
 * made as the service account that the project names for it, where impersonation is on.
 * Nominal, so that the cluster's own client is not taken for it by mistake.
 */
export class TenantClient {
  /** With Capstan's own rights. */
  readonly #own: KubeClient;
  readonly #acting: KubeClient;
  readonly #access: ProjectAccess;

  constructor(client: KubeClient, access: ProjectAccess) {
    const { onBehalfOf: whom, actsAs } = access;
    this.#own = client.onBehalfOf({ whom });
    this.#acting = actsAs.kind === "account" ? client.onBehalfOf({ whom, user: actsAs.user }) : this.#own;
    this.#access = access;
  }

  get discovery(): Discovery {
    return this.#own.discovery;
  }

  get patchTypes(): PatchTypes {
    return this.#own.patchTypes;
  }

  /**
   * As the watches see it, whoever acts: with Capstan's own rights, for comparisons. undefined when there is no such
   * object.
   */
  async fetchLive(ref: ObjectRef, signal: AbortSignal): Promise<Manifest | undefined> {
    await this.#permit(ref, ref, signal);
    return this.#own.get(ref, signal);
  }

  /** undefined when there is no such object. */
  async get(ref: ObjectRef, signal: AbortSignal): Promise<Manifest | undefined> {
    await this.#permit(ref, ref, signal);
    return this.#client.get(ref, signal);
  }

  async create(object: Manifest, options: WriteOptions): Promise<Manifest> {
    await this.#permit(object, object.metadata, options.signal);
    return this.#client.create(object, options);
  }

  async replace(object: Manifest, options: WriteOptions): Promise<Manifest> {
    await this.#permit(object, object.metadata, options.signal);
    return this.#client.replace(object, options);
  }

  async patch(ref: ObjectRef, patch: Patch, options: WriteOptions): Promise<Manifest> {
    await this.#permit(ref, ref, options.signal);
    return this.#client.patch(ref, patch, options);
  }

  /** Server-side apply. */
  async apply(object: Manifest, options: ApplyOptions): Promise<Manifest> {
    await this.#permit(object, object.metadata, options.signal);
    return this.#client.apply(object, options);
  }

  /** The object as it was left (finalizers), or undefined when it is gone. */
  async delete(ref: ObjectRef, options: DeleteOptions): Promise<Manifest | undefined> {
    await this.#permit(ref, ref, options.signal);
    return this.#client.delete(ref, options);
  }

  /** Events about an object, as its namespace holds them. */
  async eventsOf(object: Manifest, signal: AbortSignal): Promise<readonly Manifest[]> {
    const row = await this.#permit(object, object.metadata, signal);
    const { name = "", uid, namespace } = object.metadata;
    const place = row.namespaced ? (namespace ?? "") : "default";
    const selectors = [`involvedObject.name=${name}`, ...(uid ? [`involvedObject.uid=${uid}`] : [])];
    const query = { apiVersion: "v1", kind: "Event", namespace: place, fieldSelector: selectors.join(",") };
    return (await this.#client.list(query, signal)).items;
  }

  /** Warnings about any of these objects, asked for once for each namespace; those that may not be read are left out. */
  async warningsOf(objects: readonly Manifest[], signal: AbortSignal): Promise<readonly Manifest[]> {
    const uidsIn = new Map<string, Set<unknown>>();
    for (const object of objects) {
      const row = await this.#permitted(object, signal);
      if (row === undefined) continue;
      const place = row.namespaced ? (object.metadata.namespace ?? "") : "default";
      const uids = uidsIn.get(place) ?? new Set();
      uidsIn.set(place, uids.add(object.metadata.uid));
    }
    const found = [...uidsIn].map(async ([namespace, uids]) => {
      const query = { apiVersion: "v1", kind: "Event", namespace, fieldSelector: "type=Warning" };
      const { items } = await this.#client.list(query, signal);
      return items.filter(({ involvedObject: about }) => isRecord(about) && uids.has(about.uid));
    });
    return (await Promise.all(found)).flat();
  }

  async #permitted(object: Manifest, signal: AbortSignal): Promise<ApiResource | undefined> {
    try {
      return await this.#permit(object, object.metadata, signal);
    } catch (error) {
      if (error instanceof CapstanError) return undefined;
      throw error;
    }
  }

  /** The log of a Pod, followed when `query.follow` says so. */
  async podLog(pod: Manifest, query: LogQuery, signal: AbortSignal): Promise<KubeResponse> {
    await this.#permit({ apiVersion: "v1", kind: "Pod" }, pod.metadata, signal);
    const { namespace = "", name = "" } = pod.metadata;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`;
    return this.#client.request({ method: "GET", url: withQuery(path, query), signal });
  }

  /** A process in a container of a Pod, with a terminal. Whose rights count there is who acts for the application. */
  async exec(pod: Manifest, command: PodCommand, signal: AbortSignal): Promise<PodProcess> {
    await this.#permit({ apiVersion: "v1", kind: "Pod" }, pod.metadata, signal);
    return startInPod(this.#client, pod.metadata, { ...command, signal });
  }

  /** Throws where a service account is to act and none can. */
  get #client(): KubeClient {
    const { actsAs } = this.#access;
    if (actsAs.kind === "refused") throw new CapstanError(actsAs.failure);
    return this.#acting;
  }

  /** The scope is what the server says now of this very version, whatever the rules were asked about. */
  async #permit(
    { apiVersion, kind }: ObjectType,
    { namespace = "", name = "" }: { namespace?: string | undefined; name?: string | undefined },
    signal: AbortSignal,
  ): Promise<ApiResource> {
    const row = await this.#own.discovery.resourceFor({ apiVersion, kind }, signal);
    const key = { group: row.group, kind: row.kind, namespace: row.namespaced ? namespace : "", name };
    requireCovered(this.#access.permit(key), { server: this.#access.server, key, row });
    return row;
  }
}

function requireCovered(
  permit: Permit,
  { server, key, row }: { server: string; key: ResourceKey; row: ApiResource },
): void {
  if (permit.covers(server, key, row.namespaced)) return;
  const problem = `the project's rules were asked about another scope of ${key.kind} ${key.name}`;
  throw new CapstanError({ code: "INTERNAL", problem });
}
