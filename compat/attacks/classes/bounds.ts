/** What an application does to objects beyond its project. */
import assert from "node:assert/strict";
import { untilApplication } from "@capstan/testkit";
import type { Attack } from "../attack.ts";
import { configMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";
import { asks } from "../request.ts";

const hook = (type: string) => ({ "argocd.argoproj.io/hook": type });
const bindingOf = (name: string, annotations: object = {}) =>
  JSON.stringify({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name, annotations },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "default", namespace: "team-a" }],
  });
const bindingRef = (name: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  name,
});
const inRival = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "rival-a", name });
const notThere = /namespace rival-a is not permitted in project 'team'/;
const limit = () => AbortSignal.timeout(100_000);
const permit = "every object that an application reads, changes or deletes needs a permit of its project";

/** A hook of the deletion waits until the application is deleted. */
function deletes(type: "PreDelete" | "PostDelete"): Attack["play"] {
  return async (world) => {
    const name = `bounds-${type.toLowerCase()}`;
    await deploys(name, {
      files: () => ({
        "app/a.yaml": configMap({ name: "own" }),
        "app/b.yaml": bindingOf(name, hook(type)),
      }),
      ends: { either: true },
    })(world);
    const deleted = await world.ask("alice", `DELETE /api/v1/applications/${name}`);
    assert.equal(deleted.status, 200);
    await untilApplication(world.capstan.kube, name, ({ conditions }) =>
      conditions.some((one) => one.type === "DeletionError"),
    );
    assert.equal(await world.capstan.kube.get(bindingRef(name), limit()), undefined);
    await world.assertUnharmed([]);
  };
}
export const attacks: readonly Attack[] = [
  {
    id: "bounds/set-for-another-project",
    threat: "A tenant adds an ApplicationSet that makes applications of another project",
    heldBy: "the right is asked on the project of the set's template, which may be no template itself",
    play: asks({
      who: "alice",
      method: "POST",
      path: () => "/api/v1/applicationsets?upsert=true",
      body: ({ gitUrl }) => ({
        metadata: { name: "made-for-rival" },
        spec: {
          generators: [{ list: { elements: [{}] } }],
          template: {
            metadata: { name: "made-for-rival" },
            spec: {
              project: "rival",
              source: { repoURL: `${gitUrl}/rival-app.git`, path: "." },
              destination: { server: "https://kubernetes.default.svc", namespace: "rival-a" },
            },
          },
        },
      }),
      status: [403],
    }),
  },
  {
    id: "bounds/a-foreign-namespace",
    threat: "A repository holds an object for a namespace that the project forbids",
    heldBy: permit,
    play: deploys("bounds-foreign", {
      files: () => ({ "app/a.yaml": configMap({ name: "taken", namespace: "rival-a" }) }),
      ends: { refused: notThere },
      absent: [inRival("taken")],
    }),
  },
  {
    id: "bounds/the-control-namespace",
    threat: "A repository holds argocd-rbac-cm, which makes its author an admin",
    heldBy: permit,
    advisories: ["CVE-2023-22736"],
    play: deploys("bounds-control", {
      files: () => ({
        "app/a.yaml": configMap(
          { name: "argocd-rbac-cm", namespace: "argocd" },
          { "policy.csv": "g, alice, role:admin" },
        ),
      }),
      ends: { refused: /namespace argocd is not permitted in project 'team'/ },
    }),
  },
  {
    id: "bounds/a-cluster-role-binding",
    threat: "A repository binds a service account of the tenant to cluster-admin",
    heldBy: permit,
    play: deploys("bounds-binding", {
      files: () => ({ "app/a.yaml": bindingOf("bounds-binding") }),
      ends: { refused: /ClusterRoleBinding is not permitted in project team/ },
      absent: [bindingRef("bounds-binding")],
    }),
  },
  {
    id: "bounds/a-list",
    threat: "A List hides an object for a foreign namespace",
    heldBy: permit,
    play: deploys("bounds-list", {
      files: () => ({
        "app/a.yaml": `{"apiVersion": "v1", "kind": "List", "items": [${configMap({ name: "listed", namespace: "rival-a" })}]}`,
      }),
      ends: { refused: notThere },
      absent: [inRival("listed")],
    }),
  },
  {
    id: "bounds/hooks-of-every-phase",
    threat: "Hooks of each phase of a sync act in a foreign namespace",
    heldBy: permit,
    play: deploys("bounds-hooks", {
      files: () => ({
        "app/own.yaml": configMap({ name: "own" }),
        ...Object.fromEntries(
          ["PreSync", "Sync", "PostSync", "SyncFail"].map((type) => [
            `app/${type}.yaml`,
            configMap({ name: `at-${type.toLowerCase()}`, namespace: "rival-a", annotations: hook(type) }),
          ]),
        ),
      }),
      ends: { refused: notThere },
      absent: ["presync", "sync", "postsync", "syncfail"].map((type) => inRival(`at-${type}`)),
    }),
  },
  {
    id: "bounds/pre-delete-hook",
    threat: "A PreDelete hook binds the tenant to cluster-admin when the application is deleted",
    heldBy: permit,
    play: deletes("PreDelete"),
  },
  {
    id: "bounds/post-delete-hook",
    threat: "A PostDelete hook binds the tenant to cluster-admin when the application is deleted",
    heldBy: permit,
    play: deletes("PostDelete"),
  },
  {
    id: "bounds/a-name-that-leads-upwards",
    threat: "An object called .. has the address of its namespace",
    heldBy: "no request is made for a name that is another address",
    play: deploys("bounds-upwards", {
      files: () => ({
        "app/a.yaml": configMap({
          name: "..",
          annotations: { "argocd.argoproj.io/sync-options": "Validate=false,Replace=true" },
        }),
      }),
      ends: { refused: /is no name of an object|RFC 1123/ },
    }),
  },
  {
    id: "bounds/a-destination-elsewhere",
    threat:
      "An application's own destination is a foreign namespace, to be made and marked by CreateNamespace",
    heldBy: "the project's destinations, asked before anything else",
    play: deploys("bounds-destination", {
      files: () => ({ "app/a.yaml": configMap({ name: "own" }) }),
      application: () => ({
        spec: { destination: { server: "https://kubernetes.default.svc", namespace: "rival-a" } },
      }),
      ends: { refused: /do not match any of the allowed destinations/ },
      absent: [inRival("own")],
    }),
  },
];
