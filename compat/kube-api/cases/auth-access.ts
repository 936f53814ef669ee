import { apply, type Case, get, type JsonObject, patch, post, put, remove, type Step } from "../script.ts";
import {
  account,
  accounts,
  asAccount,
  authentication,
  authorization,
  binding,
  grantEverywhere,
  grantHere,
  group,
  map,
  maps,
  mine,
  named,
  pods,
  rbac,
  role,
  rule,
  signIn,
  soon,
  user,
} from "./auth-steps.ts";

const denied: Readonly<Record<string, Step>> = {
  list: get(pods, asAccount),
  "list everywhere": get("/api/v1/pods", asAccount),
  get: get(`${pods}/x`, asAccount),
  log: get(`${pods}/x/log`, asAccount),
  watch: get(`${pods}?watch=true`, asAccount),
  "old watch": get("/apis/apps/v1/watch/namespaces/<ns>/deployments", asAccount),
  create: post(maps, map, asAccount),
  update: put(`${maps}/m`, map, asAccount),
  patch: {
    ...patch("merge", `${maps}/m`, {}),
    headers: { ...patch("merge", "", {}).headers, ...asAccount.headers },
  },
  apply: apply(`${maps}/m`, { apiVersion: "v1", kind: "ConfigMap", ...map }, asAccount),
  delete: remove(`${maps}/m`, undefined, asAccount),
  "delete collection": remove(maps, undefined, asAccount),
  status: get("/apis/apps/v1/namespaces/<ns>/deployments/x/status", asAccount),
  scale: put("/apis/apps/v1/namespaces/<ns>/deployments/x/scale", {}, asAccount),
  eviction: post(`${pods}/x/eviction`, {}, asAccount),
  exec: post(`${pods}/x/exec`, {}, asAccount),
  "own namespace": get("/api/v1/namespaces/<ns>", asAccount),
  "namespace status": get("/api/v1/namespaces/<ns>/status", asAccount),
  node: get("/api/v1/nodes/n", asAccount),
  definitions: get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", asAccount),
  custom: get("/apis/compat.example.com/v1/namespaces/<ns>/widgets", asAccount),
  "unknown resource": get("/api/v1/namespaces/<ns>/nothings", asAccount),
  "unknown group": get("/apis/nothing.example.com/v1/nothings/x", asAccount),
  "one by selector": get(`${pods}?fieldSelector=metadata.name%3Dx`, asAccount),
  "unknown page": get("/logs", asAccount),
  metrics: get("/metrics", asAccount),
  "health part": get("/healthz/ping", asAccount),
  token: post(`${accounts}/sa/token`, {}, asAccount),
  "access review": post(`${authorization}/subjectaccessreviews`, {}, asAccount),
  "token review": post(`${authentication}/tokenreviews`, {}, asAccount),
};

const deniedCases = Object.entries(denied).map(
  ([title, step]): Case => ({ name: `auth/denied/${title}`, steps: [...signIn, step] }),
);

const allowed: Readonly<Record<string, readonly Step[]>> = {
  "in the namespace": [
    ...grantHere(rule(["get", "list"], ["configmaps"])),
    soon(get(`${maps}?labelSelector=none`, asAccount)),
    get(`${maps}/none`, asAccount),
    post(maps, map, asAccount),
    get("/api/v1/configmaps", asAccount),
  ],
  everywhere: [
    ...grantEverywhere(rule(["*"], ["configmaps"])),
    soon(get("/api/v1/configmaps?labelSelector=none", asAccount)),
    post(maps, map, asAccount),
    remove(`${maps}/m`, undefined, asAccount),
  ],
  "by name": [
    post(maps, map),
    ...grantHere(named(["m"], rule(["get", "list", "delete"], ["configmaps"], [""]))),
    soon(get(`${maps}/m`, asAccount)),
    get(`${maps}/kube-root-ca.crt`, asAccount),
    get(maps, asAccount),
    get(`${maps}?fieldSelector=metadata.name%3Dm&labelSelector=none`, asAccount),
  ],
  "not by a selector that names none": [
    post(maps, map),
    ...grantHere(named(["m"], rule(["list", "watch", "deletecollection"], ["configmaps"], [""]))),
    soon(get(`${maps}?fieldSelector=metadata.name%3Dm&labelSelector=none`, asAccount)),
    get(`${maps}?fieldSelector=metadata.namespace!%3Dx%5C%2Cmetadata.name%3Dm`, asAccount),
    get(`${maps}?fieldSelector=metadata.name!%3Dm`, asAccount),
    get(`${maps}?labelSelector=none&fieldSelector=metadata.namespace%3D<ns>,metadata.name%3D%3Dm`, asAccount),
    get("/api/v1/watch/namespaces/<ns>/configmaps?fieldSelector=metadata.name%3Dm", asAccount),
    remove(`${maps}?fieldSelector=metadata.name%3Dm`, undefined, asAccount),
  ],
  "to update and patch, not to create": [
    ...grantHere(rule(["update", "patch"], ["configmaps", "limitranges"])),
    soon(put("/api/v1/namespaces/<ns>/configmaps/none", map, asAccount), 400),
    put(
      "/api/v1/namespaces/<ns>/limitranges/m",
      { metadata: { name: "m" }, spec: { limits: [] } },
      asAccount,
    ),
    apply(`${maps}/m`, { apiVersion: "v1", kind: "ConfigMap", ...map }, asAccount),
    post(maps, map),
    apply(`${maps}/m?force=true`, { apiVersion: "v1", kind: "ConfigMap", ...map }, asAccount),
  ],
  "a subresource": [
    ...grantHere(rule(["get"], ["pods/log", "*/scale"], ["", "apps"])),
    soon(get(`${pods}/x/log`, asAccount), 404),
    get(`${pods}/x`, asAccount),
    get("/apis/apps/v1/namespaces/<ns>/deployments/x/scale", asAccount),
    get("/apis/apps/v1/namespaces/<ns>/deployments/x/status", asAccount),
  ],
  "every resource": [
    ...grantHere(rule(["get"], ["*"], ["*"])),
    soon(get(`${pods}/x`, asAccount), 404),
    get("/apis/compat.example.com/v1/namespaces/<ns>/widgets/x", asAccount),
    get(pods, asAccount),
  ],
  "a page": [
    ...grantEverywhere({ verbs: ["get"], nonResourceURLs: ["/healthz/*"] }),
    soon(get("/healthz/ping", asAccount)),
    get("/nothing", asAccount),
  ],
  "by a cluster role in the namespace": [
    post(`${mine}/rolebindings`, binding("b", "ClusterRole/view", [account])),
    soon(get(pods, asAccount)),
    get("/api/v1/namespaces/<ns>/secrets", asAccount),
    post(maps, map, asAccount),
  ],
  "to a group": [
    post(
      `${mine}/rolebindings`,
      binding("b", "ClusterRole/edit", [
        { kind: "Group", name: "system:serviceaccounts:<ns>", apiGroup: group },
      ]),
    ),
    soon(get("/api/v1/namespaces/<ns>/secrets?labelSelector=none", asAccount)),
    post(maps, map, asAccount),
    get(`${mine}/roles`, asAccount),
  ],
  "role that is not there": [
    post(`${mine}/rolebindings`, binding("b", "Role/gone", [account])),
    post(`${mine}/rolebindings`, binding("c", "ClusterRole/gone-<id>", [account])),
    ...grantHere(rule(["get"], ["secrets"])),
    soon(get("/api/v1/namespaces/<ns>/secrets/none", asAccount), 404),
    get(pods, asAccount),
  ],
};

const methods: Readonly<Record<string, Step>> = {
  "head of an object": { method: "HEAD", path: `${maps}/kube-root-ca.crt` },
  "head of a collection": { method: "HEAD", path: maps },
  options: { method: "OPTIONS", path: maps },
  "post to a version": post("/version", {}),
  "delete of a health page": remove("/healthz"),
  "put to a group": put("/apis/apps/v1", {}),
  "post to a version's resources": post("/api/v1", {}),
  "post to a group": post("/apis/apps", {}),
  "post to the versions": post("/api", {}),
  "post to the keys": post("/openid/v1/jwks", {}),
  "head of a version": { method: "HEAD", path: "/version" },
};

const allowedCases = Object.entries(allowed).map(
  ([title, steps]): Case => ({ name: `auth/allowed/${title}`, steps: [...signIn, ...steps] }),
);

const holder: readonly Step[] = [
  ...signIn,
  ...grantEverywhere(
    rule(
      ["create", "update", "get", "patch"],
      ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
      [group],
    ),
    rule(["get", "list"], ["pods"]),
    rule(["update"], ["*/scale"], ["apps"]),
    named(["a", "b"], rule(["get"], ["secrets"], [""])),
    { verbs: ["get"], nonResourceURLs: ["/a/*"] },
  ),
  soon(get(`${mine}/roles/none`, asAccount), 404),
];
const tryRole = (...rules: readonly JsonObject[]): Step => post(`${mine}/roles`, role("r", rules), asAccount);

const escalation: Readonly<Record<string, readonly Step[]>> = {
  held: [tryRole(rule(["get"], ["pods"]))],
  "not held": [tryRole(rule(["get", "delete"], ["pods", "secrets"], ["", "apps"]))],
  "not held, by name": [tryRole(named(["x"], rule(["get", "delete"], ["pods", "secrets"], [""])))],
  "held by name": [tryRole(named(["b"], rule(["get"], ["secrets"], [""])))],
  "held for one of two names": [tryRole(named(["b", "c"], rule(["get"], ["secrets"], [""])))],
  "every verb": [tryRole(rule(["*"], ["pods"]))],
  "every resource": [tryRole(rule(["get"], ["*"], ["*"]))],
  subresources: [tryRole(rule(["update"], ["deployments/scale", "deployments/status"], ["apps"]))],
  "several rules": [tryRole(rule(["get"], ["pods"]), rule(["watch"], ["pods"]), rule(["list"], ["nodes"]))],
  pages: [
    post(
      `${rbac}/clusterroles`,
      role("p<id>", [{ verbs: ["get", "post"], nonResourceURLs: ["/a/b", "/a/*", "/c"] }]),
      asAccount,
    ),
  ],
  aggregation: [
    post(
      `${rbac}/clusterroles`,
      {
        metadata: { name: "g<id>" },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "<id>" } }] },
      },
      asAccount,
    ),
  ],
  update: [
    tryRole(rule(["get"], ["pods"])),
    put(`${mine}/roles/r`, role("r", [rule(["get", "watch"], ["pods"])]), asAccount),
    { ...patch("merge", `${mine}/roles/r`, { metadata: { labels: { a: "b" } } }) },
  ],
  "the same rules again": [
    post(`${mine}/roles`, role("r", [rule(["delete"], ["pods"])])),
    put(`${mine}/roles/r`, { ...role("r", [rule(["delete"], ["pods"])]) }, asAccount),
  ],
  "by apply": [
    apply(
      `${mine}/roles/r`,
      { apiVersion: `${group}/v1`, kind: "Role", ...role("r", [rule(["delete"], ["pods"])]) },
      asAccount,
    ),
  ],
  "binding of what is held": [
    tryRole(rule(["get"], ["pods"])),
    soon(post(`${mine}/rolebindings`, binding("b", "Role/r", [user]), asAccount), 201),
  ],
  "binding of more": [
    post(`${mine}/rolebindings`, binding("b", "ClusterRole/cluster-admin", [user]), asAccount),
  ],
  "cluster binding of more": [
    post(`${rbac}/clusterrolebindings`, binding("b<id>", "ClusterRole/cluster-admin", [user]), asAccount),
  ],
  "binding of nothing": [
    post(`${mine}/rolebindings`, binding("b", "ClusterRole/none-<id>", [user]), asAccount),
  ],
  "cluster binding of nothing": [
    post(`${rbac}/clusterrolebindings`, binding("b<id>", "ClusterRole/none-<id>", [user]), asAccount),
  ],
  "allowed to escalate": [
    ...grantHere(rule(["escalate"], ["roles"], [group])),
    soon(tryRole(rule(["delete"], ["pods"])), 201),
  ],
  "allowed to bind": [
    ...grantHere(named(["admin"], rule(["bind"], ["clusterroles"], [group]))),
    soon(post(`${mine}/rolebindings`, binding("b", "ClusterRole/admin", [user]), asAccount), 201),
    post(`${mine}/rolebindings`, binding("c", "ClusterRole/cluster-admin", [user]), asAccount),
  ],
  "invalid and not held": [tryRole({ verbs: ["get"], resources: ["nodes"] })],
};

const escalationCases = Object.entries(escalation).map(
  ([title, steps]): Case => ({ name: `auth/escalation/${title}`, steps: [...holder, ...steps] }),
);

const methodCases = Object.entries(methods).map(
  ([title, step]): Case => ({ name: `auth/method/${title}`, steps: [step] }),
);

export const accessCases: readonly Case[] = [
  ...deniedCases,
  ...allowedCases,
  ...escalationCases,
  ...methodCases,
];
