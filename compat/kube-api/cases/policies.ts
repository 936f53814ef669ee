import { type Case, get, type JsonObject, patch, post, put, remove, type Step } from "../script.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const policies = `${group}/validatingadmissionpolicies`;
const bindings = `${group}/validatingadmissionpolicybindings`;
const maps = "/api/v1/namespaces/<ns>/configmaps";

const policy = (spec: JsonObject): JsonObject => ({
  metadata: { name: "<id>" },
  spec: {
    matchConstraints: {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "<ns>" } },
      resourceRules: [
        {
          apiGroups: [""],
          apiVersions: ["v1"],
          operations: ["CREATE", "UPDATE", "DELETE"],
          resources: ["configmaps"],
        },
      ],
    },
    ...spec,
  },
});
const binding = (spec: JsonObject = {}): JsonObject => ({
  metadata: { name: "<id>" },
  spec: { policyName: "<id>", validationActions: ["Deny"], ...spec },
});
const map = (name: string, data?: JsonObject, more: JsonObject = {}): JsonObject => ({
  metadata: { name, ...more },
  ...(data && { data }),
});

const sentinel: JsonObject = {
  expression: "request.operation == 'DELETE' || object.metadata.name != 'sentinel'",
};
/** kube-apiserver takes a moment to hold to a new policy. */
const inForce: Step = { ...post(`${maps}?dryRun=All`, map("sentinel")), until: 422 };

interface Trial {
  validations?: readonly JsonObject[];
  spec?: JsonObject;
  binding?: JsonObject;
  before?: readonly Step[];
  steps: readonly Step[];
}

const create = (name: string, data?: JsonObject, more?: JsonObject): Step =>
  post(maps, map(name, data, more));
const ok = create("ok", { a: "1" });

const trials: Readonly<Record<string, Trial>> = {
  expression: { validations: [{ expression: "object.metadata.name != 'bad'" }], steps: [create("bad"), ok] },
  message: {
    validations: [{ expression: "!has(object.data)", message: "no data" }],
    steps: [ok, create("b")],
  },
  "made message": {
    validations: [
      { expression: "!has(object.data)", messageExpression: "'keys: ' + string(object.data.size())" },
    ],
    steps: [ok],
  },
  "message that cannot be made": {
    validations: [
      { expression: "!has(object.data)", messageExpression: "string(object.data.zz)", message: "fixed" },
    ],
    steps: [ok],
  },
  ...Object.fromEntries(
    ["Forbidden", "Invalid", "RequestEntityTooLarge"].map((reason): [string, Trial] => [
      `reason ${reason}`,
      { validations: [{ expression: "!has(object.data)", message: "m", reason }], steps: [ok] },
    ]),
  ),
  "error in the expression": { validations: [{ expression: "object.nothing == 1" }], steps: [ok] },
  "ignored error": {
    validations: [{ expression: "object.nothing == 1" }],
    spec: { failurePolicy: "Ignore" },
    steps: [ok],
  },
  "first of several": {
    validations: [
      { expression: "object.data.a == '2'", message: "first" },
      { expression: "object.data.a == '3'", message: "second" },
    ],
    steps: [ok, create("b", { a: "2" })],
  },
  update: {
    validations: [{ expression: "oldObject == null || object.data.a == oldObject.data.a", message: "fixed" }],
    steps: [
      ok,
      patch("merge", `${maps}/ok`, { data: { a: "2" } }),
      put(`${maps}/ok`, map("ok", { a: "3" })),
      patch("merge", `${maps}/ok`, { metadata: { labels: { x: "y" } } }),
    ],
  },
  deletion: {
    validations: [
      { expression: "request.operation != 'DELETE' || oldObject.data.a != '1'", message: "kept" },
    ],
    steps: [ok, remove(`${maps}/ok`), create("b", { a: "2" }), remove(`${maps}/b`)],
  },
  "dry run": {
    validations: [{ expression: "!request.dryRun", message: "dry" }],
    steps: [post(`${maps}?dryRun=All`, map("a")), ok],
  },
  request: {
    validations: [
      {
        expression:
          "request.name == 'ok' && request.namespace == object.metadata.namespace && request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap' && request.operation == 'CREATE' && 'system:masters' in request.userInfo.groups",
      },
    ],
    steps: [ok, create("b")],
  },
  "namespace object": {
    validations: [{ expression: "namespaceObject.metadata.name == object.metadata.namespace" }],
    steps: [ok],
  },
  condition: {
    validations: [{ expression: "false", message: "never" }],
    spec: { matchConditions: [{ name: "only", expression: "object.metadata.name in ['bad', 'sentinel']" }] },
    steps: [create("bad"), ok],
  },
  "error in a condition": {
    spec: { matchConditions: [{ name: "only", expression: "object.nothing == 1" }] },
    steps: [ok],
  },
  variables: {
    validations: [
      { expression: "variables.two == 2", messageExpression: "'two is ' + string(variables.two)" },
    ],
    spec: {
      variables: [
        { name: "size", expression: "has(object.data) ? object.data.size() : 0" },
        { name: "two", expression: "variables.size * 2" },
      ],
    },
    steps: [ok, create("b", { a: "1", b: "2" })],
  },
  "object selector": {
    validations: [{ expression: "false", message: "chosen" }],
    binding: { matchResources: { objectSelector: { matchLabels: { chosen: "yes" } } } },
    steps: [create("b", {}, { labels: { chosen: "yes" } }), ok],
  },
  parameters: {
    validations: [
      { expression: "!has(object.data) || object.data.a == params.data.allowed", message: "not allowed" },
    ],
    spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
    binding: { paramRef: { name: "params", parameterNotFoundAction: "Deny" } },
    before: [post(maps, map("params", { allowed: "1" }))],
    steps: [ok, create("b", { a: "2" })],
  },
  "missing parameters": {
    validations: [{ expression: "params.data.x == '1'" }],
    spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
    binding: { paramRef: { name: "none", parameterNotFoundAction: "Deny" } },
    steps: [ok],
  },
  authorizer: {
    validations: [
      {
        expression:
          "authorizer.group('apps').resource('deployments').namespace('x').check('create').allowed() && authorizer.path('/healthz').check('get').allowed()",
      },
    ],
    steps: [ok],
  },
};

const trialCases = Object.entries(trials).map(([title, trial]): Case => {
  const { validations = [], spec = {}, binding: bound = {}, before = [], steps } = trial;
  const labels = trial.binding?.matchResources === undefined ? {} : { labels: { chosen: "yes" } };
  const wait: Step = { ...inForce, body: map("sentinel", undefined, labels) };
  return {
    name: `policies/${title}`,
    steps: [
      ...before,
      post(policies, policy({ validations: [sentinel, ...validations], ...spec })),
      post(bindings, binding(bound)),
      wait,
      ...steps,
    ],
  };
});

const invalid: Readonly<Record<string, JsonObject>> = {
  "ends early": { validations: [{ expression: "object.foo ==" }] },
  "no bool": { validations: [{ expression: "1 + 1" }] },
  "unknown name": { validations: [{ expression: "foo.bar" }] },
  "no parameters": { validations: [{ expression: "params.x == 1" }] },
  "no variables": { validations: [{ expression: "variables.x == 1" }] },
  "unknown field of the request": { validations: [{ expression: "request.foo == 1" }] },
  "condition of an unknown name": {
    validations: [{ expression: "true" }],
    matchConditions: [{ name: "x", expression: "zz" }],
  },
  "unknown reason": { validations: [{ expression: "true", reason: "Unauthorized" }] },
  "dyn for bool": { validations: [{ expression: "object.data.zz" }] },
  "dyn for a message": { validations: [{ expression: "true", messageExpression: "object.data.zz" }] },
  "message of a number": { validations: [{ expression: "true", messageExpression: "1" }] },
  "variable that ends early": {
    validations: [{ expression: "true" }],
    variables: [{ name: "x", expression: "1 +" }],
  },
  "unknown function": { validations: [{ expression: "object.metadata.name.foo()" }] },
};

const invalidCases = Object.entries(invalid).map(
  ([title, spec]): Case => ({
    name: `policies/invalid/${title}`,
    steps: [post(policies, policy(spec)), get(`${policies}/<id>`)],
  }),
);

export const policyCases: readonly Case[] = [...trialCases, ...invalidCases];
