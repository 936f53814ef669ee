import { type Case, get, type JsonObject, post, remove, type Step } from "../script.ts";
import {
  accounts,
  as,
  asAccount,
  authentication,
  authorization,
  grantEverywhere,
  grantHere,
  pods,
  rbac,
  rule,
  signIn,
  soon,
} from "./auth-steps.ts";

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

const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const aggregated = (name: string): Step => get(`${rbac}/clusterroles/${name}`);

const roleCases: readonly Case[] = [
  ...["admin", "edit", "view", "cluster-admin", "system:discovery", "system:kube-scheduler"].map(
    (name): Case => ({ name: `auth/default/${name}`, steps: [aggregated(name)] }),
  ),
  {
    name: "auth/default/lists",
    steps: ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map((plural) =>
      get(
        `${rbac}/${plural}?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults&includeObject=None`,
        as(table),
      ),
    ),
  },
];

export const identityCases: readonly Case[] = [
  ...tokenCases,
  ...reviewCases,
  ...impersonationCases,
  ...roleCases,
];
