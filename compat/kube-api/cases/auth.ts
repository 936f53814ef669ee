import type { Case, Json, JsonObject, Step } from "../script.ts";
import { apply, get, patch, post, put, remove } from "../script.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const mine = `${rbac}/namespaces/<ns>`;
const authorization = "/apis/authorization.k8s.io/v1";
const authentication = "/apis/authentication.k8s.io/v1";
const accounts = "/api/v1/namespaces/<ns>/serviceaccounts";
const group = "rbac.authorization.k8s.io";

const asAccount = { headers: { authorization: "Bearer <token>" } };
const as = (headers: Record<string, string>) => ({ headers });

const rule = (verbs: Json, resources: Json, apiGroups: Json = [""], more: JsonObject = {}): JsonObject => ({
  verbs,
  apiGroups,
  resources,
  ...more,
});
const role = (name: string, rules: readonly JsonObject[]): JsonObject => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string, subjects: readonly JsonObject[]): JsonObject => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind, name: to },
  subjects,
});
const account = { kind: "ServiceAccount", name: "sa", namespace: "<ns>" };
const user = { kind: "User", name: "u-<id>", apiGroup: group };

/** An account with a token and, in its namespace or everywhere, what the rules say. */
const signIn: readonly Step[] = [
  post(accounts, { metadata: { name: "sa" } }),
  post(`${accounts}/sa/token`, {}, { capture: { token: "status.token" } }),
];
const grantHere = (...rules: readonly JsonObject[]): readonly Step[] => [
  post(`${mine}/roles`, role("granted", rules)),
  post(`${mine}/rolebindings`, binding("granted", "Role", "granted", [account])),
];
const grantEverywhere = (...rules: readonly JsonObject[]): readonly Step[] => [
  post(`${rbac}/clusterroles`, role("<id>", rules)),
  post(`${rbac}/clusterrolebindings`, binding("<id>", "ClusterRole", "<id>", [account])),
];
const pods = "/api/v1/namespaces/<ns>/pods";
const maps = "/api/v1/namespaces/<ns>/configmaps";
const map: JsonObject = { metadata: { name: "m" }, data: { a: "b" } };
/** kube-apiserver learns of a new role a moment after it is written. */
const soon = (step: Step, until = 200): Step => ({ ...step, until });

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
    ...grantHere(rule(["get", "list", "delete"], ["configmaps"], [""], { resourceNames: ["m"] })),
    soon(get(`${maps}/m`, asAccount)),
    get(`${maps}/kube-root-ca.crt`, asAccount),
    get(maps, asAccount),
    get(`${maps}?fieldSelector=metadata.name%3Dm&labelSelector=none`, asAccount),
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
    post(`${mine}/rolebindings`, binding("b", "ClusterRole", "view", [account])),
    soon(get(pods, asAccount)),
    get("/api/v1/namespaces/<ns>/secrets", asAccount),
    post(maps, map, asAccount),
  ],
  "to a group": [
    post(
      `${mine}/rolebindings`,
      binding("b", "ClusterRole", "edit", [
        { kind: "Group", name: "system:serviceaccounts:<ns>", apiGroup: group },
      ]),
    ),
    soon(get("/api/v1/namespaces/<ns>/secrets?labelSelector=none", asAccount)),
    post(maps, map, asAccount),
    get(`${mine}/roles`, asAccount),
  ],
  "role that is not there": [
    post(`${mine}/rolebindings`, binding("b", "Role", "gone", [account])),
    post(`${mine}/rolebindings`, binding("c", "ClusterRole", "gone-<id>", [account])),
    ...grantHere(rule(["get"], ["secrets"])),
    soon(get("/api/v1/namespaces/<ns>/secrets/none", asAccount), 404),
    get(pods, asAccount),
  ],
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
    rule(["get"], ["secrets"], [""], { resourceNames: ["a", "b"] }),
    { verbs: ["get"], nonResourceURLs: ["/a/*"] },
  ),
  soon(get(`${mine}/roles/none`, asAccount), 404),
];
const tryRole = (...rules: readonly JsonObject[]): Step => post(`${mine}/roles`, role("r", rules), asAccount);

const escalation: Readonly<Record<string, readonly Step[]>> = {
  held: [tryRole(rule(["get"], ["pods"]))],
  "not held": [tryRole(rule(["get", "delete"], ["pods", "secrets"], ["", "apps"]))],
  "not held, by name": [
    tryRole(rule(["get", "delete"], ["pods", "secrets"], [""], { resourceNames: ["x"] })),
  ],
  "held by name": [tryRole(rule(["get"], ["secrets"], [""], { resourceNames: ["b"] }))],
  "held for one of two names": [tryRole(rule(["get"], ["secrets"], [""], { resourceNames: ["b", "c"] }))],
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
    soon(post(`${mine}/rolebindings`, binding("b", "Role", "r", [user]), asAccount), 201),
  ],
  "binding of more": [
    post(`${mine}/rolebindings`, binding("b", "ClusterRole", "cluster-admin", [user]), asAccount),
  ],
  "cluster binding of more": [
    post(`${rbac}/clusterrolebindings`, binding("b<id>", "ClusterRole", "cluster-admin", [user]), asAccount),
  ],
  "binding of nothing": [
    post(`${mine}/rolebindings`, binding("b", "ClusterRole", "none-<id>", [user]), asAccount),
  ],
  "cluster binding of nothing": [
    post(`${rbac}/clusterrolebindings`, binding("b<id>", "ClusterRole", "none-<id>", [user]), asAccount),
  ],
  "allowed to escalate": [
    ...grantHere(rule(["escalate"], ["roles"], [group])),
    soon(tryRole(rule(["delete"], ["pods"])), 201),
  ],
  "allowed to bind": [
    ...grantHere(rule(["bind"], ["clusterroles"], [group], { resourceNames: ["admin"] })),
    soon(post(`${mine}/rolebindings`, binding("b", "ClusterRole", "admin", [user]), asAccount), 201),
    post(`${mine}/rolebindings`, binding("c", "ClusterRole", "cluster-admin", [user]), asAccount),
  ],
  "invalid and not held": [tryRole({ verbs: ["get"], resources: ["nodes"] })],
};

const escalationCases = Object.entries(escalation).map(
  ([title, steps]): Case => ({ name: `auth/escalation/${title}`, steps: [...holder, ...steps] }),
);

const self = `${authentication}/selfsubjectreviews`;
const tokens = `${accounts}/sa/token`;
const tokenOf = (token: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${token}` },
});
const pod: JsonObject = {
  metadata: { name: "p" },
  spec: { serviceAccountName: "sa", containers: [{ name: "c", image: "i" }] },
};
const boundTo = (kind: string, name: string, more: JsonObject = {}): JsonObject => ({
  spec: { boundObjectRef: { apiVersion: "v1", kind, name, ...more } },
});
const review = (token: string, ...audiences: readonly string[]): Step =>
  post(`${authentication}/tokenreviews`, { spec: { token, ...(audiences.length > 0 && { audiences }) } });

const tokenSteps: Readonly<Record<string, readonly Step[]>> = {
  plain: [post(tokens, {})],
  "of nobody": [post(`${accounts}/nobody/token`, {})],
  "short life": [post(tokens, { spec: { expirationSeconds: 599 } })],
  "longest life": [post(tokens, { spec: { expirationSeconds: 8589934592 } })],
  "ten minutes": [post(tokens, { spec: { expirationSeconds: 600 } })],
  "other name": [post(tokens, { metadata: { name: "other" } })],
  "other kind": [post(tokens, { kind: "ConfigMap", apiVersion: "v1" })],
  "wrong method": [get(tokens)],
  audiences: [
    post(tokens, { spec: { audiences: ["a", "b"] } }, { capture: { other: "status.token" } }),
    post(self, {}, tokenOf("<other>")),
    review("<other>"),
    review("<other>", "b", "c"),
    review("<other>", "c"),
  ],
  "bound to a missing pod": [post(tokens, boundTo("Pod", "none"))],
  "bound to a missing secret": [post(tokens, boundTo("Secret", "none"))],
  "bound to a missing node": [post(tokens, boundTo("Node", "none"))],
  "bound to a config map": [post(tokens, boundTo("ConfigMap", "kube-root-ca.crt"))],
  "bound to a pod of another version": [post(tokens, boundTo("Pod", "p", { apiVersion: "v2" }))],
  "bound to a pod": [
    post(pods, pod),
    post(tokens, boundTo("Pod", "p"), { capture: { bound: "status.token" } }),
    post(self, {}, tokenOf("<bound>")),
    review("<bound>"),
  ],
  "bound to a pod of another account": [
    post(pods, { ...pod, spec: { serviceAccountName: "default", containers: [{ name: "c", image: "i" }] } }),
    post(tokens, boundTo("Pod", "p")),
  ],
  "bound to a secret": [
    post("/api/v1/namespaces/<ns>/secrets", { metadata: { name: "s" } }),
    post(tokens, boundTo("Secret", "s", { uid: "other" })),
    post(tokens, boundTo("Secret", "s"), { capture: { bound: "status.token" } }),
    post(self, {}, tokenOf("<bound>")),
    remove("/api/v1/namespaces/<ns>/secrets/s"),
    { ...post(self, {}, tokenOf("<bound>")), until: 401 },
    review("<bound>"),
  ],
  review: [review("<token>"), review("bad"), review("<token>", "x")],
  "review without a token": [post(`${authentication}/tokenreviews`, { spec: {} })],
  "account that is gone": [remove(`${accounts}/sa`), { ...post(self, {}, asAccount), until: 401 }],
  "wrong token": [post(self, {}, tokenOf("a.b.c")), get(pods, tokenOf("x"))],
  "in a secret": [
    post("/api/v1/namespaces/<ns>/secrets", {
      metadata: { name: "s", annotations: { "kubernetes.io/service-account.name": "sa" } },
      type: "kubernetes.io/service-account-token",
    }),
  ],
  "in a secret of nobody": [
    post("/api/v1/namespaces/<ns>/secrets", {
      metadata: { name: "s", annotations: { "kubernetes.io/service-account.name": "nobody" } },
      type: "kubernetes.io/service-account-token",
    }),
    { ...get("/api/v1/namespaces/<ns>/secrets/s"), until: 404 },
  ],
  "in a secret without a name": [
    post("/api/v1/namespaces/<ns>/secrets", {
      metadata: { name: "s" },
      type: "kubernetes.io/service-account-token",
    }),
  ],
};

const tokenCases = Object.entries(tokenSteps).map(
  ([title, steps]): Case => ({ name: `auth/token/${title}`, steps: [...signIn, ...steps] }),
);

const pods1 = { verb: "get", resource: "pods", namespace: "<ns>" };
const ask = (what: string, spec: JsonObject, extra = {}): Step =>
  post(`${authorization}/${what}`, { spec }, extra);
const local = "namespaces/<ns>/localsubjectaccessreviews";

const reviewSteps: Readonly<Record<string, readonly Step[]>> = {
  "self, denied": [ask("selfsubjectaccessreviews", { resourceAttributes: pods1 }, asAccount)],
  "self, administrator": [ask("selfsubjectaccessreviews", { resourceAttributes: pods1 })],
  "self, allowed": [
    ...grantHere(rule(["get"], ["pods"])),
    soon(get(`${pods}/x`, asAccount), 404),
    ask("selfsubjectaccessreviews", { resourceAttributes: pods1 }, asAccount),
  ],
  "self, nothing asked": [ask("selfsubjectaccessreviews", {})],
  "self, both asked": [
    ask("selfsubjectaccessreviews", { resourceAttributes: pods1, nonResourceAttributes: { path: "/" } }),
  ],
  "other, by cluster role": [
    ask("subjectaccessreviews", { user: "system:kube-scheduler", resourceAttributes: pods1 }),
  ],
  "other, by group": [
    ask("subjectaccessreviews", {
      user: "x",
      groups: ["system:authenticated"],
      nonResourceAttributes: { verb: "get", path: "/api" },
    }),
  ],
  "other, nobody": [ask("subjectaccessreviews", { resourceAttributes: pods1 })],
  "other, masters": [
    ask("subjectaccessreviews", {
      groups: ["system:masters"],
      nonResourceAttributes: { verb: "get", path: "/x" },
    }),
  ],
  "other, by role binding": [
    ...grantHere(rule(["get"], ["pods"])),
    soon(get(`${pods}/x`, asAccount), 404),
    ask("subjectaccessreviews", {
      user: "system:serviceaccount:<ns>:sa",
      resourceAttributes: pods1,
    }),
  ],
  "local, elsewhere": [ask(local, { user: "u", resourceAttributes: { ...pods1, namespace: "other" } })],
  "local, a page": [ask(local, { user: "u", nonResourceAttributes: { path: "/x", verb: "get" } })],
  "rules without a namespace": [ask("selfsubjectrulesreviews", {})],
  "who am I": [post(self, {}, asAccount), post(self, {})],
};

const reviewCases = Object.entries(reviewSteps).map(
  ([title, steps]): Case => ({ name: `auth/review/${title}`, steps: [...signIn, ...steps] }),
);

const personas: Readonly<Record<string, Record<string, string>>> = {
  user: { "impersonate-user": "v" },
  "user and group": { "impersonate-user": "v", "impersonate-group": "g" },
  "group alone": { "impersonate-group": "g" },
  "uid alone": { "impersonate-uid": "1" },
  account: { "impersonate-user": "system:serviceaccount:default:default" },
  uid: { "impersonate-user": "v", "impersonate-uid": "9" },
  extra: { "impersonate-user": "v", "impersonate-extra-foo%2Fbar": "9" },
  nobody: { "impersonate-user": "system:anonymous" },
};

const impersonationCases = Object.entries(personas).flatMap(([title, headers]): Case[] => [
  { name: `auth/impersonation/${title}`, steps: [post(self, {}, as(headers)), get(pods, as(headers))] },
  {
    name: `auth/impersonation/${title}, denied`,
    steps: [
      ...signIn,
      post(self, {}, as({ ...headers, ...asAccount.headers })),
      get("/version/x", as({ ...headers, ...asAccount.headers })),
    ],
  },
  {
    name: `auth/impersonation/${title}, allowed`,
    steps: [
      ...signIn,
      ...grantEverywhere(
        rule(["impersonate"], ["users", "groups", "serviceaccounts"]),
        rule(["impersonate"], ["uids", "userextras/foo/bar"], ["authentication.k8s.io"]),
        rule(["get"], ["nodes"]),
      ),
      soon(get("/api/v1/nodes/none", asAccount), 404),
      post(self, {}, as({ ...headers, ...asAccount.headers })),
    ],
  },
]);

const aggregated = (name: string): Step => get(`${rbac}/clusterroles/${name}`);

const roleCases: readonly Case[] = [
  ...["admin", "edit", "view", "cluster-admin", "system:discovery", "system:kube-scheduler"].map(
    (name): Case => ({ name: `auth/default/${name}`, steps: [aggregated(name)] }),
  ),
  {
    name: "auth/default/lists",
    steps: ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map((plural) =>
      get(`${rbac}/${plural}?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults`),
    ),
  },
];

export const authCases: readonly Case[] = [
  ...deniedCases,
  ...allowedCases,
  ...escalationCases,
  ...tokenCases,
  ...reviewCases,
  ...impersonationCases,
  ...roleCases,
];
