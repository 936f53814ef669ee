import type { Kind } from "./kind.ts";

const rbac = "rbac.authorization.k8s.io";
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const ruleInvalid = {
  "no verbs": { rules: [{ apiGroups: [""], resources: ["pods"] }] },
  "no resources": { rules: [{ apiGroups: [""], verbs: ["get"] }] },
  "no groups": { rules: [{ resources: ["pods"], verbs: ["get"] }] },
};
const subject = { kind: "User", name: "u", apiGroup: rbac };
const bindingInvalid = {
  "no role": { roleRef: { name: "" } },
  "bad role kind": { roleRef: { kind: "Foo" } },
  "bad role group": { roleRef: { apiGroup: "x" } },
  "bad subject": { subjects: [{ kind: "Foo", name: "a" }] },
  "subject without name": { subjects: [{ kind: "User", apiGroup: rbac }] },
  "account without namespace": { subjects: [{ kind: "ServiceAccount", name: "a" }] },
};
/** Of "CN=compat"; its key was thrown away. */
const signingRequest = [
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITU1ITUNBUUF3RVRFUE1BMEdBMVVFQXd3R1kyOXRjR0Yw",
  "TUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemowRApBUWNEUWdBRW54anpxYlZ6K0hPYUFXOWhXcEJFMCtCRnh6MWpvQzhjVnZy",
  "Rnl5U2Y4R3BZWWVhYVkzdVRZeWlUCjFQM3dMMHZ0bTlMK3BveEFOdmJPNnhJbUVUTnBvcUFBTUFvR0NDcUdTTTQ5QkFNQ0Ew",
  "a0FNRVlDSVFEeFBrNVkKTFdFeWtLWEJpK1pKQlo4OUFzYXVHU1dJY2FCWjJHVHZuVlNuSVFJaEFJQ0lxOUtTT3FQQThFVy8x",
  "ZHR3OWszVgpqdks2REIxZkIyR3Z4RXFGc0ViWAotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K",
].join("");
const clusterRole = { apiGroup: rbac, kind: "ClusterRole", name: "view" };

export const accessKinds: readonly Kind[] = [
  {
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    resource: "roles",
    content: { rules },
    change: { rules: [...rules, { apiGroups: ["apps"], resources: ["*"], verbs: ["*"] }] },
    undecodable: { rules: "x" },
    invalid: {
      ...ruleInvalid,
      "paths in a namespace": { rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }] },
    },
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    resource: "clusterroles",
    clusterWide: true,
    content: { rules },
    change: { rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }] },
    undecodable: { rules: "x" },
    invalid: {
      ...ruleInvalid,
      "paths and resources": {
        rules: [{ apiGroups: [""], resources: ["pods"], nonResourceURLs: ["/x"], verbs: ["get"] }],
      },
      "bad aggregation": {
        aggregationRule: {
          clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "Foo" }] }],
        },
      },
    },
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    resource: "rolebindings",
    content: { roleRef: clusterRole, subjects: [subject] },
    change: { subjects: [{ ...subject, name: "other" }] },
    undecodable: { subjects: "x" },
    invalid: bindingInvalid,
    immutable: { role: { roleRef: { name: "edit" } } },
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    resource: "clusterrolebindings",
    clusterWide: true,
    content: { roleRef: clusterRole, subjects: [subject] },
    change: { subjects: [{ kind: "ServiceAccount", name: "a", namespace: "b" }] },
    undecodable: { subjects: "x" },
    invalid: bindingInvalid,
    immutable: { role: { roleRef: { name: "edit" } } },
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    resource: "priorityclasses",
    clusterWide: true,
    content: { value: 100 },
    change: { description: "text" },
    undecodable: { value: "x" },
    invalid: {
      "too high": { value: 2000000000 },
      "bad preemption": { preemptionPolicy: "Foo" },
      "system name": { metadata: { name: "system-<id>" } },
    },
    immutable: { value: { value: 200 } },
  },
  {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    resource: "runtimeclasses",
    clusterWide: true,
    content: { handler: "runc" },
    change: { overhead: { podFixed: { cpu: "10m" } } },
    undecodable: { handler: 1 },
    invalid: { "bad handler": { handler: "A_" }, "no handler": { handler: "" } },
    immutable: { handler: { handler: "other" } },
  },
  {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    resource: "certificatesigningrequests",
    clusterWide: true,
    content: {
      spec: { request: signingRequest, signerName: "example.com/signer", usages: ["client auth"] },
    },
    change: { metadata: { annotations: { a: "b" } } },
    undecodable: { spec: { usages: "x" } },
    invalid: {
      "no request": { spec: { request: "" } },
      "not a request": { spec: { request: "eA==" } },
      "bad signer": { spec: { signerName: "x" } },
      "no usages": { spec: { usages: [] } },
      "bad usage": { spec: { usages: ["foo"] } },
      "short life": { spec: { expirationSeconds: 10 } },
    },
    immutable: { usages: { spec: { usages: ["server auth"] } } },
    status: { status: { certificate: null } },
  },
  {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    resource: "prioritylevelconfigurations",
    clusterWide: true,
    content: {
      spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
    },
    change: { spec: { limited: { nominalConcurrencyShares: 2 } } },
    undecodable: { spec: { limited: "x" } },
    invalid: {
      "bad type": { spec: { type: "Foo" } },
      "no limits": { spec: { limited: null } },
      "bad response": { spec: { limited: { limitResponse: { type: "Foo" } } } },
      "shares under 0": { spec: { limited: { nominalConcurrencyShares: -1 } } },
    },
    status: { status: { conditions: [{ type: "Foo", status: "True" }] } },
  },
  {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    resource: "flowschemas",
    clusterWide: true,
    content: { spec: { priorityLevelConfiguration: { name: "nothing" }, matchingPrecedence: 9000 } },
    change: { spec: { matchingPrecedence: 9001 } },
    undecodable: { spec: { matchingPrecedence: "x" } },
    invalid: {
      "no level": { spec: { priorityLevelConfiguration: { name: "" } } },
      "precedence over": { spec: { matchingPrecedence: 10001 } },
      "bad distinguisher": { spec: { distinguisherMethod: { type: "Foo" } } },
      "empty rule": { spec: { rules: [{}] } },
    },
    status: { status: { conditions: [{ type: "Foo", status: "True" }] } },
  },
];
