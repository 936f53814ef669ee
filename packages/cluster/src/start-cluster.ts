import { join } from "node:path";
import { type Clock, systemClock } from "@capstan/flow";
import { createAdmission } from "./admission/admission.ts";
import { builtinKinds, simulations } from "./kinds/builtin-kinds.ts";
import { startAggregatedRoles } from "./lifecycle/aggregated-roles.ts";
import { startApiServices } from "./lifecycle/api-services.ts";
import { startCustomResources } from "./lifecycle/custom-resources.ts";
import { createDefaultRoles } from "./lifecycle/default-roles.ts";
import { createFirstObjects } from "./lifecycle/first-objects.ts";
import { startGarbageCollector } from "./lifecycle/garbage-collector.ts";
import { startNamespaces } from "./lifecycle/namespaces.ts";
import { startPolicyTypes } from "./lifecycle/policy-types.ts";
import { startProtection } from "./lifecycle/protection.ts";
import { startQuotas } from "./lifecycle/quotas.ts";
import { startTokenSecrets } from "./lifecycle/token-secrets.ts";
import { StoredObjects } from "./objects/stored-objects.ts";
import type { AdmissionHook, World } from "./objects/world.ts";
import { crdType, Registry } from "./registry/registry.ts";
import { Credentials } from "./security/credentials.ts";
import { writeKubeconfig } from "./security/kubeconfig.ts";
import { Rbac } from "./security/rbac.ts";
import { TokenIssuer } from "./security/tokens.ts";
import { adminUser } from "./security/user.ts";
import type { Api } from "./server/api.ts";
import type { AuditOptions } from "./server/audit.ts";
import { createHandle, type Handle } from "./server/handle.ts";
import { Entry } from "./store/entry.ts";
import { Store } from "./store/store.ts";
import type { ApiRequest, ApiResponse } from "./types.ts";
import { WebhookConversion } from "./webhooks/conversion.ts";
import { startWorkloads } from "./workloads/start-workloads.ts";

export interface LogEntry {
  level: "info" | "warn" | "error";
  message: string;
  [field: string]: unknown;
}

export interface ClusterOptions {
  dataDir: string;
  /** How long a simulated Pod takes to become Ready. */
  podReadyDelayMs?: number;
  /** False: no simulated node and controllers; what is written stays as it was written. */
  simulation?: boolean;
  clock?: Clock;
  log?: (entry: LogEntry) => void;
  /** Told of every request, who asked and for what. */
  audit?: AuditOptions;
}

export interface EmbeddedCluster extends AsyncDisposable {
  /** In this process, without a socket, as the administrator. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  listen(options: { host: string; port: number }): Promise<{ url: string; port: number; host: string }>;
  kubeconfig(serverUrl: string): string;
  caCertificate(): string;
  readonly adminToken: string;
  close(): Promise<void>;
}

/** Opens the data folder and serves what is in it. Nothing listens until listen() is called. */
export async function startCluster(options: ClusterOptions): Promise<EmbeddedCluster> {
  const {
    dataDir,
    podReadyDelayMs = 200,
    simulation = true,
    clock = systemClock,
    log = () => undefined,
  } = options;
  const stopping = new AbortController();
  const onError = (error: unknown) =>
    log({ level: "error", message: "cluster: unexpected failure", error: describe(error) });
  using opened = new DisposableStack();
  opened.defer(() => stopping.abort(new Error("the cluster did not start")));
  const store = new Store({ file: join(dataDir, "cluster.db"), onListenerError: onError });
  opened.use(store);
  const rbac = new Rbac(store);
  const world = createWorld({ store, clock, rbac, signal: stopping.signal });
  const credentials = new Credentials(store, clock);
  const lifecycle = { world, signal: stopping.signal, log };
  startCustomResources(lifecycle);
  startApiServices(lifecycle);
  createFirstObjects(world);
  createDefaultRoles(world);
  startNamespaces({ ...lifecycle, caCertificate: credentials.authority.certificate });
  startAggregatedRoles(lifecycle);
  startGarbageCollector(lifecycle);
  startProtection(lifecycle);
  startQuotas(lifecycle);
  startPolicyTypes(lifecycle);
  const objects = new StoredObjects(world, "capstan-workloads", stopping.signal);
  const workloads = startWorkloads({
    objects,
    clock,
    podReadyDelayMs,
    controllers: simulation ? simulations : undefined,
    signal: stopping.signal,
    log,
  });
  const tokens = new TokenIssuer({
    signingKey: credentials.signingKey,
    adminToken: credentials.adminToken,
    clock,
    find: (type, namespace, name) => store.get(type, namespace, name)?.object,
  });
  startTokenSecrets({ ...lifecycle, tokens, caCertificate: credentials.authority.certificate });
  const api: Api = {
    ...world,
    tokens,
    rbac,
    podLog: (request) => workloads.podLog(request),
    openPodSession: (request) => workloads.openPodSession(request),
  };
  const failure = await store.flushed();
  // A full disk still lets people read.
  if (failure !== undefined) log({ level: "error", message: `cluster: ${failure.message}` });
  opened.move();
  return new Cluster({
    store,
    credentials,
    tokens,
    clock,
    stopping,
    onError,
    handle: createHandle(api, { onError, ...(options.audit ? { audit: options.audit } : {}) }),
  });
}

interface WorldParts {
  store: Store;
  clock: Clock;
  rbac: Rbac;
  /** Ends what waits for an answer from outside. */
  signal: AbortSignal;
}

function createWorld({ store, clock, rbac, signal }: WorldParts): World {
  const registry = new Registry(
    builtinKinds,
    Entry.objects(store.list(crdType)),
    (crd) => new WebhookConversion(crd, { store, clock }),
  );
  const hooks = new Map<string, AdmissionHook>();
  const admission = createAdmission({ rbac, world: () => world });
  const world: World = { store, registry, clock, hooks, admission };
  const objects = new StoredObjects(world, "capstan", signal);
  for (const { group, resource, hook } of builtinKinds)
    if (hook !== undefined) hooks.set(`${group}/${resource}`, hook({ store, clock, objects }));
  return world;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

interface Parts {
  store: Store;
  credentials: Credentials;
  tokens: TokenIssuer;
  clock: Clock;
  stopping: AbortController;
  onError: (error: unknown) => void;
  handle: Handle;
}

class Cluster implements EmbeddedCluster {
  readonly #parts: Parts;
  readonly #listeners: { close(): Promise<void> }[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get adminToken(): string {
    return this.#parts.credentials.adminToken;
  }

  handle(request: ApiRequest): Promise<ApiResponse> {
    return this.#parts.handle(request, adminUser);
  }

  async listen({
    host,
    port,
  }: {
    host: string;
    port: number;
  }): Promise<{ url: string; port: number; host: string }> {
    const { listen } = await import("./server/listen.ts");
    const { credentials, tokens, clock, stopping, onError, handle } = this.#parts;
    const { serverNames } = await import("./security/server-names.ts");
    const certificate = credentials.serverCertificate(serverNames(host));
    const authenticate = (token: string) => {
      const found = tokens.authenticate(token);
      return "user" in found ? found.user : undefined;
    };
    const { signal } = stopping;
    const listener = await listen({ host, port, certificate, handle, authenticate, clock, signal, onError });
    this.#listeners.push(listener);
    const shownHost = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
    const authority = shownHost.includes(":") ? `[${shownHost}]` : shownHost;
    return { url: `https://${authority}:${listener.port}`, port: listener.port, host };
  }

  kubeconfig(serverUrl: string): string {
    return writeKubeconfig({
      server: serverUrl,
      caCertificate: this.caCertificate(),
      token: this.adminToken,
    });
  }

  caCertificate(): string {
    return this.#parts.credentials.authority.certificate;
  }

  async close(): Promise<void> {
    const { stopping, store } = this.#parts;
    if (stopping.signal.aborted) return;
    stopping.abort(new Error("the cluster is stopping"));
    await Promise.all(this.#listeners.map((listener) => listener.close()));
    store[Symbol.dispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
