import assert from "node:assert/strict";
import { test } from "node:test";
import { projectAccess } from "@capstan/engine";
import { createKubeClient, type KubeRequest, type KubeResponse, TenantClient } from "@capstan/kube";
import { type AppProject, argoApiVersion, type Manifest } from "@capstan/model";
import { realClock } from "@capstan/testkit";
import fc from "fast-check";

const server = "https://one.example";
const kinds = [
  { group: "", version: "v1", kind: "ConfigMap", resource: "configmaps", namespaced: true },
  { group: "", version: "v1", kind: "Secret", resource: "secrets", namespaced: true },
  { group: "", version: "v1", kind: "Namespace", resource: "namespaces", namespaced: false },
  { group: "apps", version: "v1", kind: "Deployment", resource: "deployments", namespaced: true },
  { group: "rbac.x", version: "v1", kind: "ClusterRole", resource: "clusterroles", namespaced: false },
] as const;

function discoveryOf(group: string) {
  const resources = kinds
    .filter((one) => one.group === group)
    .map(({ kind, resource, namespaced }) => ({ kind, name: resource, namespaced, verbs: ["get"] }));
  return { kind: "APIResourceList", groupVersion: group === "" ? "v1" : `${group}/v1`, resources };
}

function answer({ url }: KubeRequest): unknown {
  if (url === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (url === "/apis") {
    const groups = ["apps", "rbac.x"].map((name) => ({
      name,
      versions: [{ groupVersion: `${name}/v1`, version: "v1" }],
      preferredVersion: { groupVersion: `${name}/v1`, version: "v1" },
    }));
    return { kind: "APIGroupList", groups };
  }
  const list = /^\/(?:api\/v1|apis\/([^/]+)\/v1)$/.exec(url);
  if (list) return discoveryOf(list[1] ?? "");
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "answer" } };
}

interface Reached {
  kind: (typeof kinds)[number];
  namespace: string;
  name: string;
}

/** What a server takes the address to mean, `..` and `.` resolved as any HTTP library on the way might do. */
function reached(url: string): Reached | undefined {
  const { pathname } = new URL(url, "https://x");
  const [, group = "", namespace = "", resource, name = ""] =
    /^\/(?:api|apis\/([^/]+))\/v1(?:\/namespaces\/([^/]+)(?=\/[^/]+))?\/([^/]+)(?:\/([^/]+))?/.exec(
      pathname,
    ) ?? [];
  const kind = kinds.find((one) => one.group === group && one.resource === resource);
  return kind && { kind, namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) };
}

/** The rules once more, written from Argo CD's documentation, with nothing of engine/access in them. */
function isAllowed({ spec }: AppProject, { kind, namespace, name }: Reached): boolean {
  const glob = (pattern: string, text: string) =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`, "s").test(text);
  const listed = (list: readonly { group: string; kind: string; name?: string }[] = []) =>
    list.some(
      (one) =>
        glob(one.group, kind.group) && glob(one.kind, kind.kind) && (!one.name || glob(one.name, name)),
    );
  if (!kind.namespaced)
    return listed(spec.clusterResourceWhitelist) && !listed(spec.clusterResourceBlacklist);
  const isKind =
    (spec.namespaceResourceWhitelist === undefined || listed(spec.namespaceResourceWhitelist)) &&
    !listed(spec.namespaceResourceBlacklist);
  const places = (spec.destinations ?? []).map((one) => ({
    server: one.server ?? "",
    namespace: one.namespace ?? "",
  }));
  const denied = places.some(
    (one) =>
      one.namespace.startsWith("!") && glob(one.server, server) && glob(one.namespace.slice(1), namespace),
  );
  const allowed = places.some(
    (one) =>
      glob(one.server, server) &&
      (one.namespace.startsWith("!")
        ? !glob(one.namespace.slice(1), namespace)
        : glob(one.namespace, namespace)),
  );
  return isKind && allowed && !denied;
}

const names = [
  "team-a",
  "team-b",
  "victim",
  "kube-system",
  "..",
  ".",
  "",
  "a/b",
  "team-a/secrets/x",
  "%2e%2e",
  "Team-A",
];
const rule = fc.record({
  group: fc.constantFrom("", "*", "apps", "rbac.x"),
  kind: fc.constantFrom("*", "ConfigMap", "Secret", "Namespace", "ClusterRole", "Deployment"),
});
const clusterRule = fc.record(
  {
    group: fc.constantFrom("", "*", "rbac.x"),
    kind: fc.constantFrom("*", "Namespace", "ClusterRole"),
    name: fc.constantFrom("team-*", "team-a", "*"),
  },
  { requiredKeys: ["group", "kind"] },
);
const destination = fc.record({
  server: fc.constantFrom(server, "*", "https://other.example", "https://one.*"),
  namespace: fc.constantFrom("team-a", "team-*", "*", "!victim", "!kube-*", "other"),
});
const spec = fc.record(
  {
    destinations: fc.array(destination, { maxLength: 3 }),
    namespaceResourceWhitelist: fc.array(rule, { maxLength: 2 }),
    namespaceResourceBlacklist: fc.array(rule, { maxLength: 2 }),
    clusterResourceWhitelist: fc.array(clusterRule, { maxLength: 2 }),
    clusterResourceBlacklist: fc.array(clusterRule, { maxLength: 1 }),
  },
  { requiredKeys: [] },
);
const object = fc.record({
  kind: fc.constantFrom(...kinds),
  namespace: fc.constantFrom(...names, undefined),
  name: fc.constantFrom(...names),
});
const act = fc.constantFrom("get", "create", "replace", "patch", "apply", "delete", "eventsOf", "podLog");

function manifestOf({
  kind,
  namespace,
  name,
}: {
  kind: Reached["kind"];
  namespace: string | undefined;
  name: string;
}) {
  const apiVersion = kind.group === "" ? "v1" : `${kind.group}/v1`;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion, kind: kind.kind, metadata } satisfies Manifest;
}

const signal = new AbortController().signal;
const options = { signal, fieldManager: "test" };

async function perform(client: TenantClient, how: string, manifest: Manifest): Promise<void> {
  const { apiVersion, kind, metadata } = manifest;
  const ref = { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? "" };
  const acts: Record<string, () => Promise<unknown>> = {
    get: () => client.get(ref, signal),
    create: () => client.create(manifest, options),
    replace: () => client.replace(manifest, options),
    patch: () => client.patch(ref, { type: "merge", body: manifest }, options),
    apply: () => client.apply(manifest, options),
    delete: () => client.delete(ref, { signal }),
    eventsOf: () => client.eventsOf(manifest, signal),
    podLog: () => client.podLog(manifest, {}, signal),
  };
  await acts[how]?.().catch((error: unknown) => assert.ok(error instanceof Error));
}

test("no request goes to an object that the project does not permit, whatever the object says of itself", async () => {
  let reaches: string[] = [];
  const transport = async (request: KubeRequest): Promise<KubeResponse> => {
    reaches.push(request.url);
    return { status: 200, headers: {}, body: JSON.stringify(answer(request)) };
  };
  const kube = createKubeClient({ transport, userAgent: "test", clock: realClock });
  const rows = await kube.discovery.refresh(signal);
  const kindOf = (group: string, kind: string) =>
    rows.find((row) => row.group === group && row.kind === kind);
  await fc.assert(
    fc.asyncProperty(spec, object, act, async (given, one, how) => {
      const project: AppProject = {
        apiVersion: argoApiVersion,
        kind: "AppProject",
        metadata: { name: "team", namespace: "argocd" },
        spec: given,
      };
      const access = projectAccess({
        project,
        application: { namespace: "argocd", name: "app" },
        controlNamespace: "argocd",
        actsAs: { kind: "capstan" },
        cluster: { server, name: "one", kindOf },
      });
      reaches = [];
      await perform(new TenantClient(kube, access), how, manifestOf(one));
      for (const url of reaches) {
        // What kinds there are is asked again now and then.
        if (how === "podLog" || url.includes("/events") || url === "/api" || url === "/apis") continue;
        const place = reached(url);
        assert.ok(place, `${url} is no object's address`);
        const named = place.name === "" ? { ...place, name: one.name } : place;
        assert.ok(isAllowed(project, named), `${how} reached ${url}`);
      }
      // What the rules allow is not refused either.
      const { kind, namespace = "", name } = one;
      const plain = [name, ...(kind.namespaced ? [namespace] : [])].every((text) => /^[a-z-]+$/.test(text));
      const isObject = how !== "podLog" && how !== "eventsOf";
      if (plain && isObject && isAllowed(project, { kind, namespace, name })) assert.ok(reaches.length > 0);
    }),
    { numRuns: 3000 },
  );
});
