import { eventLabels } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import type { HostCalls } from "@capstan/git-hosts";
import {
  type Clusters,
  createEventRecorder,
  type KubeClient,
  type LiveState,
  type SettingsSource,
} from "@capstan/kube";
import { isLiveApplication, isLiveSet, type Manifest, projectOf } from "@capstan/model";
import type { ImagePlans, OperationRecords, Scripts } from "@capstan/planning";
import type { RepoServer } from "@capstan/wire";
import { type Counter, Registry } from "prom-client";
import { createRights } from "./api/access/create-rights.ts";
import { findProject } from "./api/access/find-project.ts";
import { isServed, isServedNamespace } from "./api/access/served-applications.ts";
import { createApplicationFeed } from "./api/application/application-feed.ts";
import { createApplicationIndex } from "./api/application/application-index.ts";
import { applicationGroup, isApplication } from "./api/application/read-application.ts";
import { revisionRequest } from "./api/application/render-application.ts";
import { createTreeFeed } from "./api/application/tree-feed.ts";
import { auditHandlers } from "./api/audit/audit-handlers.ts";
import { readBadge } from "./api/badge/read-badge.ts";
import type { ApiContext, ApiLog } from "./api/context.ts";
import { extensionPort } from "./api/extension/permit-extension.ts";
import { apiHandlers } from "./api/handlers.ts";
import { ConnectionStates } from "./api/repository/connection-states.ts";
import { createAuthenticator } from "./api/session/authenticate.ts";
import { keptThrottle } from "./api/session/kept-throttle.ts";
import { createPasswords } from "./api/session/passwords.ts";
import { createRevocations } from "./api/session/revocations.ts";
import { createTokens } from "./api/session/tokens.ts";
import { allTokens } from "./api/sso/all-tokens.ts";
import { createSso } from "./api/sso/sso.ts";
import { ssoPort } from "./api/sso/sso-port.ts";
import { terminalPort } from "./api/terminal/permit-terminal.ts";
import { traceHandlers } from "./api/trace-handlers.ts";
import { translateKubeError } from "./api/translate-kube-error.ts";
import { boundedLog } from "./bounded-log.ts";
import { createCounters } from "./create-counters.ts";
import { hostNames } from "./host-names.ts";
import { serveObserved } from "./observed-server.ts";
import { PageScripts } from "./page/page-scripts.ts";
import { atTop, type ServedPlace } from "./served-place.ts";
import { TrustedProxies } from "./transport/caller.ts";
import type { DepartureTimes } from "./transport/departure.ts";
import { createRestServer, type RestServer } from "./transport/rest-server.ts";
import { type KeyPair, serveTls } from "./transport/server-tls.ts";
import type { WebhookSecrets } from "./webhook/push-event.ts";
import { createWebhookReceiver } from "./webhook/webhook-receiver.ts";

export interface ApiServerInput {
  /** The cluster that holds Applications, projects and settings. */
  kube: KubeClient;
  /** Applications and projects of that cluster. No setting may ever close it (`createControlState`). */
  live: LiveState;
  clusters: Clusters;
  repo: RepoServer;
  /** By which ApplicationSets ask the hosts of repositories. */
  hosts: HostCalls;
  settings: SettingsSource;
  scripts: Scripts;
  /** What would become of applications' images. */
  images?: ImagePlans | undefined;
  /** What operations did; absent where nobody keeps it. */
  records?: Pick<OperationRecords, "list" | "read"> | undefined;
  clock: Clock;
  log: ApiLog;
  /** Shown at /metrics; the server adds its own to it. */
  metrics?: Registry;
  controlNamespace: string;
  /** Names by which browsers reach the server, beside loopback names, addresses and those of the settings. */
  allowedHosts?: readonly string[];
  /** Addresses and ranges of proxies whose X-Forwarded headers are believed. */
  trustedProxies?: readonly string[];
  /** Makes the certificate for these names that is shown where the settings have none; without, nobody speaks TLS. */
  makeCertificate?: ((names: readonly string[]) => Promise<KeyPair>) | undefined;
  /** Where it is found; default: at the top. */
  place?: ServedPlace;
  /** Folder of the built page. */
  uiDir?: string | undefined;
  /** Folder of scripts that the page runs: Argo CD's extensions of its page. */
  pageExtensions?: string | undefined;
  version: string;
  /** The cluster is the embedded one, in which nothing really runs. */
  simulatedCluster: boolean;
}

export interface ApiServer extends AsyncDisposable {
  listen(address: { host: string; port: number }): Promise<{ url: string; port: number }>;
  /** To be awaited before it is disposed of, where callers have another server to go to: no call of theirs fails. */
  leave(times: DepartureTimes): Promise<void>;
  /** Metrics without a token, on a port of their own, and whether callers shall be sent here. */
  listenMetrics(address: { host: string; port: number }): Promise<{ url: string; port: number }>;
  /** A ref of a repository of this machine may have moved: as a webhook tells of other ones. */
  noticePush(url: string, ref: string): void;
  /** Settles when all accepted webhooks are worked off. */
  idle(): Promise<void>;
  readonly fastify: RestServer["fastify"];
}

/** Everything that people and programs reach over HTTP: API, streams, webhooks, metrics and the page. */
export function createApiServer(input: ApiServerInput): ApiServer {
  const stopping = new AbortController();
  const registry = input.metrics ?? new Registry();
  const counters = createCounters(registry, input.version);
  const { settings, clock, log } = input;
  const sessionMs = () => settings.current.general.sessionMs;
  const revocations = createRevocations({ ...input, sessionMs });
  const sso = createSso(input);
  const own = createTokens({ settings, clock, revocations, findProject: (name) => findProject(input, name) });
  const tokens = allTokens({ own, sso, revocations });
  const opened = new AsyncDisposableStack();
  const passwords = opened.use(createPasswords(clock));
  const warn = boundedLog((facts, message) => log.warn(facts, message), clock);
  const feed = createApplicationFeed(input);
  const rights = createRights(input);
  const context: ApiContext = { ...input, rights };
  const index = createApplicationIndex(context);
  const scripts = new PageScripts(input.pageExtensions, input);
  const names = hostNames(input.settings, input.allowedHosts ?? []);
  const handlers = apiHandlers({
    ...context,
    settings,
    feed,
    index,
    trees: createTreeFeed({ ...input, signal: stopping.signal }),
    tokens,
    version: input.version,
    simulatedCluster: input.simulatedCluster,
    pageScripts: scripts,
    connections: new ConnectionStates(input.clock),
    throttle: keptThrottle(input),
    passwords,
    logFailure: (facts) => warn(facts, "login failed"),
    countLogin: (status) => counters.logins.inc({ status }),
  });
  const receiver = receiveWebhooks(input, counters.webhooks, stopping.signal);
  const events = auditEvents(input, stopping.signal);
  const server = createRestServer({
    handlers: traceHandlers(auditHandlers(handlers, { ...input, events })),
    translateError: translateKubeError,
    authenticate: createAuthenticator({ ...context, tokens }),
    webhook: receiver,
    sso: ssoPort(sso, tokens),
    extensions: extensionPort(context),
    terminals: terminalPort(context),
    countExtension: counters.countExtension,
    badge: (query) => readBadge(context, query),
    swagger: {
      version: input.version,
      isShown: () => settings.current.params["server.disable.swagger.ui"] !== "true",
    },
    metrics: () => registry.metrics(),
    mayReadMetrics: (user) => rights.allows(user, everyApplication),
    hosts: names,
    proxies: new TrustedProxies(input.trustedProxies ?? []),
    contentTypes: ["application/json"],
    tls: serverTls(input, stopping.signal),
    ...foundAt(input),
    scripts,
    clock: input.clock,
    log: input.log,
  });
  const whyNotReady = () => (server.leaving.aborted ? "it is stopping" : undefined);
  return {
    fastify: server.fastify,
    listen: (address) => server.listen(address),
    leave: (times) => leaveAll(times, { server, receiver, clock, signal: stopping.signal }),
    listenMetrics: async (address) =>
      opened.use(await serveObserved({ metrics: registry, whyNotReady, hosts: names, log }, address)),
    noticePush: (url, ref) => receiver.notice(url, ref),
    idle: () => receiver.idle(),
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error("the server is stopping"));
      feed.close();
      index.close();
      await opened.disposeAsync();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Accepted webhooks have been answered already: what they lead to is waited for too. */
async function leaveAll(
  times: DepartureTimes,
  at: { server: RestServer; receiver: Pick<ApiServer, "idle">; clock: Clock; signal: AbortSignal },
): Promise<void> {
  await at.server.leave(times);
  await Promise.race([at.receiver.idle(), at.clock.sleep(times.drainMs, at.signal)]);
}

function auditEvents(input: ApiServerInput, signal: AbortSignal) {
  const { kube: client, clock, log, settings } = input;
  const labelsOf = (about: Manifest) =>
    isApplication(about)
      ? eventLabels(about, findProject(input, projectOf(about)), settings.current.general.eventLabelKeys)
      : undefined;
  return createEventRecorder({ client, component: "argocd-server", clock, log, signal, labelsOf });
}

/** A certificate of our own is kept in argocd-secret, where Argo CD keeps its (util/settings InitializeSettings). */
function serverTls({ settings, kube, controlNamespace, log, ...input }: ApiServerInput, signal: AbortSignal) {
  const { makeCertificate } = input;
  if (!makeCertificate) return undefined;
  const service = ["argocd-server", controlNamespace, "svc", "cluster", "local"];
  const names = [1, 2, 3, 5].map((parts) => service.slice(0, parts).join("."));
  const makeOwn = async () => {
    const { certificate, key } = await makeCertificate(["localhost", "127.0.0.1", "::1", ...names]);
    const secret = { apiVersion: "v1", kind: "Secret", name: "argocd-secret", namespace: controlNamespace };
    const stringData = { "tls.crt": certificate, "tls.key": key };
    await kube.patch(secret, { type: "merge", body: { stringData } }, { signal });
    return { certificate, key };
  };
  return serveTls({ settings, makeOwn, log });
}

/** The page, where browsers find it, and what they find behind this server. */
function foundAt({ settings, uiDir, place = atTop }: ApiServerInput) {
  const pageStyles = () => settings.current.general.page.cssUrl;
  return { uiDir, place, pageStyles, dex: () => settings.current.general.oidc?.dex };
}

const everyApplication = { resource: "applications", action: "get", object: "*/*" };

function receiveWebhooks(
  { live, kube, repo, settings, controlNamespace, clock, log, images }: ApiServerInput,
  counter: Counter<"provider" | "repo">,
  signal: AbortSignal,
) {
  const applications = () =>
    live
      .ofKind(applicationGroup, "Application")
      .filter(isLiveApplication)
      .filter((app) => isServed({ live, settings, controlNamespace }, app));
  return createWebhookReceiver({
    applications,
    applicationSets: () =>
      live
        .ofKind(applicationGroup, "ApplicationSet")
        .filter(isLiveSet)
        .filter(({ metadata }) =>
          isServedNamespace({ settings, controlNamespace }, metadata.namespace ?? controlNamespace),
        ),
    rules: () => ({
      secrets: webhookSecrets(settings.current.secret),
      maxBytes: settings.current.general.webhookMaxBytes,
    }),
    registrySecret: (key) => settings.current.secret[`webhook.${key}`] || undefined,
    imageFollowers: (image) => {
      const { follows } = images?.pushed(image) ?? { follows: () => false };
      return applications().filter(follows);
    },
    forgetRevisions: (url) => repo.forgetRevisions(url),
    async changedFiles(app, { revision }, callSignal) {
      const { source } = app.spec;
      const since = app.status?.sync?.revision;
      if (!source || !since) return undefined;
      const question = revisionRequest({ live, settings, controlNamespace }, app, { source, revision });
      // What is looked for in vain costs a question, and no search of all that the repository has.
      if (revision !== undefined) await repo.fetchRevision(question, callSignal);
      return (await repo.changedFiles({ ...question, since }, callSignal)).files;
    },
    async fetchRevision(app, wanted, callSignal) {
      const question = revisionRequest({ live, settings, controlNamespace }, app, wanted);
      await repo.fetchRevision(question, callSignal);
    },
    count: (provider, repo) => counter.inc({ provider, repo }),
    async annotate({ apiVersion, kind, metadata }, annotations, callSignal) {
      const patch = { type: "merge", body: { metadata: { annotations } } } as const;
      const { name, namespace } = metadata;
      await kube.patch({ apiVersion, kind, name, namespace }, patch, { signal: callSignal });
    },
    clock,
    log,
    signal,
  });
}

function webhookSecrets(secret: Readonly<Record<string, string>>): WebhookSecrets {
  const read = (key: string): string | undefined => secret[`webhook.${key}`] || undefined;
  return {
    github: read("github.secret"),
    gitlab: read("gitlab.secret"),
    gogs: read("gogs.secret"),
    bitbucketUuid: read("bitbucket.uuid"),
    bitbucketServer: read("bitbucketserver.secret"),
    azureUsername: read("azuredevops.username"),
    azurePassword: read("azuredevops.password"),
  };
}
