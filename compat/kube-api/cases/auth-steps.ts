import { type Json, type JsonObject, post, type Step } from "../script.ts";

export const rbac = "/apis/rbac.authorization.k8s.io/v1";
export const mine = `${rbac}/namespaces/<ns>`;
export const authorization = "/apis/authorization.k8s.io/v1";
export const authentication = "/apis/authentication.k8s.io/v1";
export const accounts = "/api/v1/namespaces/<ns>/serviceaccounts";
export const group = "rbac.authorization.k8s.io";

export const asAccount = { headers: { authorization: "Bearer <token>" } };
export const as = (headers: Record<string, string>) => ({ headers });

export const rule = (verbs: Json, resources: Json, apiGroups: Json = [""]): JsonObject => ({
  verbs,
  apiGroups,
  resources,
});
export const named = (names: Json, of: JsonObject): JsonObject => ({ ...of, resourceNames: names });
export const role = (name: string, rules: readonly JsonObject[]): JsonObject => ({
  metadata: { name },
  rules,
});
export const binding = (name: string, to: string, subjects: readonly JsonObject[]): JsonObject => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind: to.split("/")[0], name: to.split("/")[1] },
  subjects,
});
export const account = { kind: "ServiceAccount", name: "sa", namespace: "<ns>" };
export const user = { kind: "User", name: "u-<id>", apiGroup: group };

/** An account with a token and, in its namespace or everywhere, what the rules say. */
export const signIn: readonly Step[] = [
  post(accounts, { metadata: { name: "sa" } }),
  post(`${accounts}/sa/token`, {}, { capture: { token: "status.token" } }),
];
export const grantHere = (...rules: readonly JsonObject[]): readonly Step[] => [
  post(`${mine}/roles`, role("granted", rules)),
  post(`${mine}/rolebindings`, binding("granted", "Role/granted", [account])),
];
export const grantEverywhere = (...rules: readonly JsonObject[]): readonly Step[] => [
  post(`${rbac}/clusterroles`, role("<id>", rules)),
  post(`${rbac}/clusterrolebindings`, binding("<id>", "ClusterRole/<id>", [account])),
];
export const pods = "/api/v1/namespaces/<ns>/pods";
export const maps = "/api/v1/namespaces/<ns>/configmaps";
export const map: JsonObject = { metadata: { name: "m" }, data: { a: "b" } };
/** kube-apiserver learns of a new role a moment after it is written. */
export const soon = (step: Step, until = 200): Step => ({ ...step, until });
