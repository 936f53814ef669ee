import type { Script } from "../script.ts";
import { documents } from "./manifests.ts";

const group = "admissionregistration.k8s.io/v1";

interface Rules {
  readonly kind: "Validating" | "Mutating";
  readonly name: string;
  readonly spec: object;
  readonly binding?: object;
}

/** NS stands for the script's namespace: a policy holds in the whole cluster, its binding in that namespace alone. */
function policy({ kind, name, spec, binding }: Rules): string {
  const metadata = { name: `${name}-NS` };
  const resourceRules = [
    {
      apiGroups: [""],
      apiVersions: ["v1"],
      operations: ["CREATE", "UPDATE"],
      resources: ["configmaps", "pods"],
    },
  ];
  const matchConstraints = { resourceRules };
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "NS" } };
  return documents(
    JSON.stringify({
      apiVersion: group,
      kind: `${kind}AdmissionPolicy`,
      metadata,
      spec: { matchConstraints, ...spec },
    }),
    JSON.stringify({
      apiVersion: group,
      kind: `${kind}AdmissionPolicyBinding`,
      metadata,
      spec: { policyName: metadata.name, matchResources: { namespaceSelector }, ...binding },
    }),
  );
}

const only = (name: string): object => ({
  matchConditions: [{ name: "only", expression: `object.metadata.name.startsWith('${name}')` }],
});
const mutating = (name: string, expression: string, patchType = "ApplyConfiguration"): string =>
  policy({
    kind: "Mutating",
    name,
    spec: {
      ...only(name),
      reinvocationPolicy: "Never",
      failurePolicy: "Fail",
      mutations: [
        { patchType, [patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration"]: { expression } },
      ],
    },
  });

const create = (file: string): string => `sed -i "s/NS/$NAMESPACE/g" ${file}; kubectl create -f ${file}`;
/** The real server learns of a policy a moment later; what it says then is what both must say. */
const until = (name: string, sign: string): string =>
  `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do kubectl create configmap ${name} --from-literal=x=1 --dry-run=server -o yaml 2>&1 | grep -q '${sign}' && break; sleep 1; done`;

export const kubectlAdmission: readonly Script[] = [
  {
    name: "validating-policies",
    client: "kubectl",
    files: {
      "deny.yaml": policy({
        kind: "Validating",
        name: "deny",
        spec: {
          ...only("deny"),
          variables: [{ name: "data", expression: "object.?data.orValue({})" }],
          validations: [
            {
              expression: "!('x' in variables.data)",
              messageExpression: "'no x in ' + object.metadata.name",
            },
            { expression: "object.metadata.name != 'deny-me'", reason: "Forbidden" },
          ],
        },
        binding: { validationActions: ["Deny"] },
      }),
      "warn.yaml": policy({
        kind: "Validating",
        name: "warn",
        spec: { ...only("warn"), validations: [{ expression: "object.data.x != '1'", message: "odd" }] },
        binding: { validationActions: ["Warn"] },
      }),
      "types.yaml": policy({
        kind: "Validating",
        name: "types",
        spec: { validations: [{ expression: "object.spec.nothing == 1" }] },
        binding: { validationActions: ["Audit"] },
      }),
      "bad.yaml": policy({
        kind: "Validating",
        name: "bad",
        spec: { validations: [{ expression: "object.x +" }, { expression: "'a'" }] },
        binding: { validationActions: ["Deny"] },
      }),
    },
    steps: [
      create("deny.yaml"),
      { run: until("deny-1", "denied"), compare: "code" },
      "kubectl create configmap deny-1 --from-literal=x=1",
      "kubectl create configmap deny-1",
      "kubectl create configmap deny-me",
      'kubectl patch configmap deny-1 --type=merge -p \'{"data":{"x":"1"}}\'',
      create("warn.yaml"),
      { run: until("warn-1", "Warning"), compare: "code" },
      "kubectl create configmap warn-1 --from-literal=x=1",
      create("types.yaml"),
      "kubectl wait validatingadmissionpolicy types-$NAMESPACE --for=jsonpath='{.status.observedGeneration}'=1 --timeout=30s",
      "kubectl get validatingadmissionpolicy types-$NAMESPACE -o jsonpath='{.status.typeChecking}'",
      create("bad.yaml"),
      "kubectl delete -f deny.yaml -f warn.yaml -f types.yaml",
    ],
  },
  {
    name: "mutating-policies",
    slow: true,
    client: "kubectl",
    files: {
      "label.yaml": mutating(
        "label",
        'Object{metadata: Object.metadata{labels: {"by": "policy"}}, data: {"made": string(object.data.size())}}',
      ),
      "side.yaml": mutating(
        "side",
        'Object{spec: Object.spec{containers: [Object.spec.containers{name: "side", image: "proxy"}]}}',
      ),
      "patch.yaml": mutating(
        "patch",
        `[JSONPatch{op: "test", path: "/data/x", value: "1"}, JSONPatch{op: "add", path: "/metadata/annotations", value: {"a/b": "c"}},
          JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("d/e"), value: "f"}]`,
        "JSONPatch",
      ),
      "wrong.yaml": mutating("wrong", 'Object{metadata: Object.spec{labels: {"by": "policy"}}}'),
      "stray.yaml": mutating("stray", 'Object{nothing: "x"}'),
      "atomic.yaml": mutating(
        "atomic",
        'Object{spec: Object.spec{containers: [Object.spec.containers{name: "main", command: ["x"]}]}}',
      ),
      "bad.yaml": mutating("bad", "Object{metadata: nothing}"),
      "number.yaml": mutating("number", "1"),
      "list.yaml": mutating("list", "Object{}", "JSONPatch"),
    },
    steps: [
      create("label.yaml"),
      { run: until("label-1", "by: policy"), compare: "code" },
      "kubectl create configmap label-1 --from-literal=x=1 -o jsonpath='{.metadata.labels} {.data}'",
      "kubectl get configmap label-1 -o jsonpath='{.metadata.managedFields[*].fieldsV1}'",
      'kubectl patch configmap label-1 --type=merge -p \'{"data":{"y":"2"}}\' -o jsonpath=\'{.data}\'',
      create("patch.yaml"),
      { run: until("patch-1", "a/b"), compare: "code" },
      "kubectl create configmap patch-1 --from-literal=x=1 -o jsonpath='{.metadata.annotations}'",
      "kubectl create configmap patch-2 --from-literal=x=2 -o jsonpath='{.metadata.annotations}'",
      create("wrong.yaml"),
      { run: until("wrong-1", "denied"), compare: "code" },
      "kubectl create configmap wrong-1",
      create("stray.yaml"),
      { run: until("stray-1", "denied"), compare: "code" },
      "kubectl create configmap stray-1",
      create("side.yaml"),
      create("atomic.yaml"),
      { run: "sleep 3", compare: "code" },
      "kubectl run side-1 --image=nginx -o jsonpath='{.spec.containers[*].name} {.spec.containers[*].imagePullPolicy}'",
      "kubectl run atomic-1 --image=nginx",
      create("bad.yaml"),
      create("number.yaml"),
      create("list.yaml"),
      "kubectl describe mutatingadmissionpolicy label-$NAMESPACE",
      "kubectl get mutatingadmissionpolicybinding label-$NAMESPACE",
      "kubectl delete -f label.yaml -f patch.yaml -f wrong.yaml -f stray.yaml -f side.yaml -f atomic.yaml",
    ],
  },
];
