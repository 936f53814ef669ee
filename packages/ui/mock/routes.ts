import { applicationRow, type ResourceDiff } from "@capstan/model";
import { type OutOf, packRows, type Routes, type SyncRequest } from "@capstan/wire";
import { answerOfSets } from "./application-sets.ts";
import { eventsOf } from "./events.ts";
import { recordedObject, recordsOf } from "./operations.ts";
import { describeApp, patchSource, pluginSummaries } from "./parameters.ts";
import { applyPlan, planOf } from "./plan.ts";
import { seeded } from "./random.ts";
import { stagesOf } from "./stages.ts";
import { type Entry, entryOf, statusesOf, type World } from "./world.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly loggedIn: boolean;
  readonly world: World;
}

export interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

type Handler = (asked: Asked, entry: Entry) => Answer;

const notFound = (what: string): Answer => ({ status: 404, body: { code: 5, message: `${what} not found` } });

function field(body: unknown, name: string): unknown {
  if (typeof body !== "object" || body === null) return undefined;
  return new Map<string, unknown>(Object.entries(body)).get(name);
}

const settings: OutOf<Routes["getSettings"]> = {
  url: "http://mock",
  additionalUrls: [],
  appLabelKey: "app.kubernetes.io/instance",
  trackingMethod: "annotation",
  statusBadgeEnabled: false,
  userLoginsDisabled: false,
  execEnabled: false,
  appsInAnyNamespaceEnabled: false,
  hydratorEnabled: false,
  help: {
    chatUrl: "https://chat.example.com",
    chatText: "Ask the platform team",
    binaryUrls: { "linux-amd64": "https://downloads.example.com/capstan" },
  },
  plugins: [],
  simulatedCluster: true,
};

const plain: Record<string, (asked: Asked) => Answer> = {
  "GET /api/v1/settings": () => ({ body: settings }),
  "GET /api/v1/settings/texts/argocd-cm": () => ({
    body: {
      resourceVersion: "1",
      writable: ["help.chatUrl", "ui.bannercontent"],
      items: [{ setting: "help.chatUrl", text: "https://chat.example.com" }],
    },
  }),
  "GET /api/version": () => ({
    body: { Version: "0.1.0-mock", HelmVersion: "4.0.1", KustomizeVersion: "5.8.0" },
  }),
  "GET /api/v1/session/userinfo": ({ loggedIn }) => ({
    body: loggedIn ? { loggedIn, username: "admin" } : { loggedIn },
  }),
  "POST /api/v1/session": ({ body }) =>
    field(body, "password") === "wrong"
      ? { status: 401, body: { code: 16, message: "Invalid username or password" } }
      : { body: { token: "t" }, headers: { "set-cookie": "argocd.token=t; path=/; HttpOnly" } },
  "POST /api/v1/account/can-i": ({ body }) => {
    const rights = field(body, "rights");
    return { body: { allowed: Array.isArray(rights) ? rights.map(() => true) : [] } };
  },
  "DELETE /api/v1/session": () => ({ headers: { "set-cookie": "argocd.token=; path=/; Max-Age=0" } }),
  "GET /api/v1/application-rows": ({ world }) => ({
    body: {
      metadata: { resourceVersion: world.version },
      items: [packRows([...world.entries.values()].map(({ app }) => applicationRow(app)))],
    },
  }),
  "POST /api/v1/applications": create,
  "GET /api/v1/projects": () => ({
    body: {
      metadata: {},
      items: ["default", "shop", "platform", "payments"].map((name) => ({
        metadata: { name },
        spec: { sourceRepos: ["*"], description: `Of the ${name} team` },
      })),
    },
  }),
  "GET /api/v1/repositories": () => ({
    body: {
      metadata: {},
      items: [
        {
          repo: "https://git.example.com/acme/deployments.git",
          type: "git",
          connectionState: { status: "Successful" },
        },
      ],
    },
  }),
  "GET /api/v1/clusters": () => ({
    body: {
      metadata: {},
      items: [
        {
          name: "in-cluster",
          server: "https://kubernetes.default.svc",
          info: { serverVersion: "1.36", applicationsCount: 20, connectionState: { status: "Successful" } },
        },
      ],
    },
  }),
  "GET /api/v1/settings/plugins": () => ({ body: { plugins: pluginSummaries } }),
};

function create({ body, world }: Asked): Answer {
  const name = field(field(body, "metadata"), "name");
  const namespace = field(field(field(body, "spec"), "destination"), "namespace");
  if (typeof name !== "string" || !/^[a-z0-9-]+$/.test(name)) {
    return {
      status: 400,
      body: {
        code: 3,
        message: `metadata.name ${JSON.stringify(name)}: use lower-case letters, digits and dashes`,
      },
    };
  }
  const recipe = {
    name,
    project: "default",
    namespace: String(namespace),
    path: "apps",
    workloads: [{ kind: "Deployment" as const, name, pods: 1 }],
  };
  const entry = entryOf(recipe, world, seeded(name.length));
  world.add(entry);
  return { body: entry.app };
}

const ofApplication: Record<string, Handler> = {
  "GET ": ({ query, world }, entry) => {
    if (query.has("refresh")) {
      entry.app = { ...entry.app, status: { ...entry.app.status, reconciledAt: new Date().toISOString() } };
      world.changed(entry);
    }
    return { body: entry.app };
  },
  "DELETE ": ({ world }, entry) => {
    world.remove(entry);
    return {};
  },
  "PATCH ": ({ body, world }, entry) => {
    if (field(body, "patchType") === "json") {
      const patched = patchSource(entry.app, String(field(body, "patch")));
      if (typeof patched === "string") return { status: 400, body: { code: 3, message: patched } };
      entry.app = patched;
      world.changed(entry);
      return { body: entry.app };
    }
    if (String(field(body, "patch")).includes('"automated":null')) {
      const { automated: _, ...syncPolicy } = entry.app.spec.syncPolicy ?? {};
      entry.app = { ...entry.app, spec: { ...entry.app.spec, syncPolicy } };
      world.changed(entry);
    }
    return { body: entry.app };
  },
  "GET /resource-tree": (_, { nodes, orphans }) => ({ body: { nodes, orphanedNodes: orphans } }),
  "GET /managed-resources": ({ query }, { managed }) => ({
    body: { items: managed.filter((diff) => isAskedFor(diff, query)) },
  }),
  "GET /events": ({ query }, entry) => ({ body: { metadata: {}, items: eventsOf(entry, query) } }),
  "GET /resource": ({ query }, entry) => resourceOf(entry, query),
  "DELETE /resource": ({ query, world }, entry) => {
    world.removed(entry, { kind: query.get("kind"), name: query.get("resourceName") });
    return {};
  },
  "GET /operations": (_asked, entry) => ({ body: { items: recordsOf(entry) } }),
  "GET /syncwindows": (_asked, { windows }) => ({ body: windows }),
  "GET /stages": (_asked, entry) => ({ body: { sources: [stagesOf(entry)] } }),
  "GET /parameters": (_asked, { app }) => ({ body: describeApp(app) }),
  "GET /resource/actions": ({ query }) => ({
    body: { actions: query.get("kind") === "Deployment" ? actionsOfDeployments : [] },
  }),
  "POST /resource/actions/v2": () => ({}),
  "POST /sync-plan": ({ body }, entry) => ({ body: planOf(entry, toSyncRequest(body)) }),
  "POST /sync": (asked, entry) => sync(asked, entry),
  "POST /rollback": (asked, entry) => sync(asked, entry),
  "DELETE /operation": () => ({}),
};

/** Those that differ, or one by its names. */
function isAskedFor({ kind, name, modified, hook }: ResourceDiff, query: URLSearchParams): boolean {
  if (query.get("differing") === "true") return modified === true && !hook;
  return [kind, null].includes(query.get("kind")) && [name, null].includes(query.get("resourceName"));
}

const actionsOfDeployments = [{ name: "restart" }, { name: "scale", params: [{ name: "replicas" }] }];

function toSyncRequest(body: unknown): SyncRequest {
  const items = field(field(body, "syncOptions"), "items");
  const revision = field(body, "revision");
  return {
    prune: field(body, "prune") === true,
    ...(typeof revision === "string" && { revision }),
    ...(Array.isArray(items) && { syncOptions: { items: items.map(String) } }),
  };
}

function sync({ body, world }: Asked, entry: Entry): Answer {
  if (entry.recipe.name === "newsletter") {
    return { status: 409, body: { code: 9, message: "another operation is already in progress" } };
  }
  const startedAt = new Date().toISOString();
  const setPhase = (phase: "Running" | "Succeeded", message: string) => {
    const old = entry.app.status?.operationState;
    const operation = old?.operation ?? { initiatedBy: { username: "admin" } };
    const resources = statusesOf(entry.nodes, entry.managed);
    const synced = resources.every(({ status }) => status === "Synced");
    entry.app = {
      ...entry.app,
      status: {
        ...entry.app.status,
        resources,
        sync: { ...entry.app.status?.sync, status: synced ? "Synced" : "OutOfSync" },
        operationState: {
          operation,
          phase,
          message,
          startedAt,
          ...(phase === "Succeeded" && { finishedAt: new Date().toISOString() }),
        },
      },
    };
    world.changed(entry);
  };
  setPhase("Running", "applying 4 objects");
  setTimeout(() => {
    applyPlan(entry, field(body, "prune") === true);
    setPhase("Succeeded", "successfully synced (all tasks run)");
  }, 1200).unref();
  return { body: entry.app };
}

function resourceOf(entry: Entry, query: URLSearchParams): Answer {
  const kind = query.get("kind") ?? "";
  const name = query.get("resourceName") ?? "";
  const managed = entry.managed.find((diff) => diff.kind === kind && diff.name === name);
  if (managed && managed.liveState !== "null") return { body: { manifest: managed.liveState } };
  const node = [...entry.nodes, ...entry.orphans].find(
    (candidate) => candidate.kind === kind && candidate.name === name,
  );
  if (!node) return notFound(`${kind} ${name}`);
  const { group, version = "v1", namespace, uid, info = [], health } = node;
  const manifest = {
    apiVersion: group ? `${group}/${version}` : version,
    kind,
    metadata: { name, namespace, uid, managedFields: [{ manager: "kubelet" }] },
    status: {
      phase: health?.status === "Healthy" ? "Running" : "Pending",
      info: Object.fromEntries(info.map((item) => [item.name, item.value])),
    },
  };
  return { body: { manifest: JSON.stringify(manifest) } };
}

export function answer(asked: Asked): Answer {
  const handler = plain[`${asked.method} ${asked.path}`];
  if (handler) return handler(asked);
  const match = asked.path.match(/^\/api\/v1\/applications\/([^/]+)(.*)$/);
  if (!match) return answerOfSets(asked.world.sets, asked) ?? notFound(asked.path);
  const name = decodeURIComponent(match[1] ?? "");
  const entry = asked.world.entries.get(name);
  if (!entry) return { status: 403, body: { code: 7, message: "permission denied" } };
  const rest = match[2] ?? "";
  if (/^\/operations\/\d+\/object$/.test(rest)) return { body: recordedObject(entry, asked.query) };
  const metadata = rest.match(/^\/revisions\/([^/]+)\/metadata$/);
  if (metadata) {
    const commit = asked.world.commits.get(metadata[1] ?? "");
    return commit ? { body: commit } : notFound(`revision ${metadata[1]}`);
  }
  return ofApplication[`${asked.method} ${rest}`]?.(asked, entry) ?? notFound(asked.path);
}
