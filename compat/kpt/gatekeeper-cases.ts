import type { Files } from "@capstan/testkit";

const indent = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));

interface Sketch {
  name?: string;
  kind?: string;
  version?: string;
  rego?: string;
  libs?: readonly string[];
  schema?: string;
  target?: string;
}

const denyAll = `package deny

violation[{"msg": msg}] {
  msg := sprintf("%v is not wanted", [input.review.object.metadata.name])
}
`;

const template = (sketch: Sketch = {}): string => {
  const { name = "deny", kind = "Deny", version = "v1", rego = denyAll, libs = [], schema = "" } = sketch;
  const target = sketch.target ?? "admission.k8s.gatekeeper.sh";
  const validation =
    schema === "" ? "" : `      validation:\n        openAPIV3Schema:\n${indent(schema, 10)}`;
  const libraries = libs.map((lib) => `    - |\n${indent(lib, 6)}`).join("");
  return `apiVersion: templates.gatekeeper.sh/${version}
kind: ConstraintTemplate
metadata:
  name: ${name}
spec:
  crd:
    spec:
      names:
        kind: ${kind}
${validation}  targets:
  - target: ${target}
    rego: |
${indent(rego, 6)}${libraries === "" ? "" : `    libs:\n${libraries}`}`;
};

const constraint = (spec: string, { name = "refused", kind = "Deny", version = "v1beta1" } = {}): string =>
  `---\napiVersion: constraints.gatekeeper.sh/${version}\nkind: ${kind}\nmetadata:\n  name: ${name}\nspec:\n${indent(spec, 2)}`;

const deployments = "match:\n  kinds:\n  - apiGroups: [apps]\n    kinds: [Deployment]\n";

const fleet = ["one", "two", "two.three"]
  .map(
    (name) => `---
apiVersion: v1
kind: Namespace
metadata:
  name: ${name}
  labels: {tier: ${name}}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: map-${name}
  namespace: ${name}
  labels:
    app: ${name}
`,
  )
  .join("");

const matching = (match: string): Files => ({
  "policy.yaml": template() + constraint(`match:\n${indent(match, 2)}`),
  "fleet.yaml": `${fleet}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: lost\n  namespace: nowhere\n`,
});

const of = (rego: string, spec = deployments): Files => ({
  "policy.yaml": template({ rego }) + constraint(spec),
});

/** Templates and constraints beside the shop. */
export const gatekeeperCases: readonly (readonly [about: string, files: Files])[] = [
  ["one constraint", of(denyAll)],
  ["no template", { "policy.yaml": "" }],
  ["a constraint without template", {}],
  [
    "actions",
    {
      "policy.yaml":
        template() +
        constraint(`enforcementAction: warn\n${deployments}`, { name: "warned" }) +
        constraint(`enforcementAction: dryrun\n${deployments}`, { name: "tried" }) +
        constraint(`enforcementAction: shout\n${deployments}`, { name: "shouted" }),
    },
  ],
  ["a warning alone", of(denyAll, `enforcementAction: warn\n${deployments}`)],
  ["everything", of(denyAll, "parameters: {}\n")],
  [
    "kinds of several groups",
    matching('kinds:\n- apiGroups: ["", apps]\n  kinds: [ConfigMap, Deployment]\n'),
  ],
  ["kinds with stars", matching('kinds:\n- apiGroups: ["*"]\n  kinds: ["*"]\n')],
  ["a list of no kinds", matching("kinds: []\n")],
  ["kinds without groups", matching("kinds:\n- kinds: [ConfigMap]\n")],
  ["namespaces", matching("namespaces: [one]\n")],
  ["namespaces with a star", matching('namespaces: ["tw*", "*e"]\n')],
  ["no namespaces", matching("namespaces: []\n")],
  ["namespaces left out", matching('excludedNamespaces: ["two*", old]\n')],
  ["the scope of a namespace", matching("scope: Namespaced\n")],
  ["the scope of a cluster", matching("scope: Cluster\n")],
  ["a name", matching("name: map-one\n")],
  ["a name with a star behind", matching('name: "map-*"\n')],
  ["a name with a star in front", matching('name: "*-one"\n')],
  ["labels", matching("labelSelector:\n  matchLabels: {app: one}\n")],
  [
    "labels by In",
    matching("labelSelector:\n  matchExpressions:\n  - {key: app, operator: In, values: [one, two]}\n"),
  ],
  [
    "labels by NotIn",
    matching("labelSelector:\n  matchExpressions:\n  - {key: app, operator: NotIn, values: [one]}\n"),
  ],
  ["labels by Exists", matching("labelSelector:\n  matchExpressions:\n  - {key: app, operator: Exists}\n")],
  [
    "labels by DoesNotExist",
    matching("labelSelector:\n  matchExpressions:\n  - {key: app, operator: DoesNotExist}\n"),
  ],
  ["labels of the namespace", matching("namespaceSelector:\n  matchLabels: {tier: two}\n")],
  [
    "libraries",
    {
      "policy.yaml":
        template({
          rego: `package deny

import data.lib.names
import data.lib.other as more

violation[{"msg": msg, "details": {"a": 1}}] {
  # data.other is only spoken of
  msg := sprintf("%v data.lib.x %v", [names.of(input.review.object), more.two])
  more.two == 2
  input.review.object.data.lib == "x" # a field
}

violation[{"msg": names.of(input.review.object)}] {
  true
}
`,
          libs: [
            'package lib.names\n\nimport data.lib.other\n\nof(object) = name {\n  name := concat("-", [object.metadata.name, sprintf("%v", [other.two])])\n}\n',
            "package lib.other\n\ntwo = 2\n",
          ],
        }) + constraint('match:\n  kinds:\n  - apiGroups: ["", apps]\n    kinds: [ConfigMap, Deployment]\n'),
      "data.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: data\ndata:\n  lib: x\n",
    },
  ],
  [
    "a library by its full name",
    {
      "policy.yaml":
        template({
          rego: 'package deny\n\nviolation[{"msg": msg}] {\n  msg := data.lib.names.one\n}\n',
          libs: ['package lib.names\n\none = "x"\n'],
        }) + constraint(deployments),
    },
  ],
  [
    "two templates of one package",
    {
      "policy.yaml":
        template() +
        `---\n${template({ name: "other", kind: "Other", version: "v1alpha1" })}` +
        constraint(deployments) +
        constraint(deployments, { name: "also", kind: "Other", version: "v1alpha1" }),
    },
  ],
  [
    "other resources",
    of(`package deny

violation[{"msg": msg}] {
  other := data.inventory.namespace[namespace]["v1"]["Service"][name]
  other.spec.selector.app == input.review.object.metadata.name
  msg := sprintf("%v/%v leads to %v of %v", [namespace, name, input.review.name, input.review.namespace])
}

violation[{"msg": msg}] {
  some name
  data["inventory"].cluster["v1"].Namespace[name]
  not data.inventory.cluster["v1"].Namespace["none"]
  msg := sprintf("there is %v", [name])
}
`),
  ],
  [
    "parameters",
    {
      "policy.yaml":
        template({
          rego: `package deny

violation[{"msg": msg}] {
  container := input.review.object.spec.template.spec.containers[_]
  not startswith(container.image, input.parameters.registry)
  msg := sprintf("%v is from elsewhere than %v", [container.image, input.parameters.registry])
}
`,
          schema: "type: object\nproperties:\n  registry:\n    type: string\n",
        }) + constraint(`${deployments}parameters:\n  registry: registry.example.com\n`),
    },
  ],
  [
    "parameters of another type",
    {
      "policy.yaml":
        template({
          schema: "type: object\nproperties:\n  names:\n    type: array\n    items:\n      type: string\n",
        }) + constraint(`${deployments}parameters:\n  names: one\n`),
    },
  ],
  [
    "the same twice",
    of(`${denyAll}
violation[{"msg": msg, "more": 1}] {
  msg := sprintf("%v is not wanted", [input.review.object.metadata.name])
}
`),
  ],
  ["a message that is a number", of('package deny\n\nviolation[{"msg": 5}] {\n  true\n}\n')],
  ["a violation without message", of('package deny\n\nviolation[{"text": "x"}] {\n  true\n}\n')],
  ["no violation", of('package deny\n\nviolation[{"msg": "x"}] {\n  false\n}\n')],
  ["another rule", of('package deny\n\ndeny[{"msg": "x"}] {\n  true\n}\n')],
  ["Rego that does not parse", of("package deny\n\nviolation[{ {\n")],
  ["Rego that does not compile", of('package deny\n\nviolation[{"msg": msg}] {\n  msg := nothing(1)\n}\n')],
  [
    "two answers of a function",
    of(
      'package deny\n\nf(x) = 1 {\n  true\n}\n\nf(x) = 2 {\n  true\n}\n\nviolation[{"msg": "x"}] {\n  f(1)\n}\n',
    ),
  ],
  [
    "a function that cannot be computed",
    of('package deny\n\nviolation[{"msg": msg}] {\n  msg := sprintf("%v", [to_number("x")])\n}\n'),
  ],
  ["other data", of('package deny\n\nviolation[{"msg": "x"}] {\n  data.other.x\n}\n')],
  [
    "an import of other data",
    of('package deny\n\nimport data.other\n\nviolation[{"msg": "x"}] {\n  true\n}\n'),
  ],
  [
    "a library of another name",
    { "policy.yaml": template({ libs: ["package names\n\none = 1\n"] }) + constraint(deployments) },
  ],
  [
    "a request",
    of(
      'package deny\n\nviolation[{"msg": "x"}] {\n  http.send({"method": "get", "url": "http://127.0.0.1:1"})\n}\n',
    ),
  ],
  ["no Rego", of("\n")],
  ["another target", { "policy.yaml": template({ target: "other" }) + constraint(deployments) }],
  ["a name that is not the kind's", { "policy.yaml": template({ name: "other" }) + constraint(deployments) }],
  ["a version that is none", { "policy.yaml": template({ version: "v9" }) + constraint(deployments) }],
  [
    "a constraint's version that is none",
    { "policy.yaml": template() + constraint(deployments, { version: "v1" }) },
  ],
  ["a namespace that can be none", matching('namespaces: ["a*b"]\n')],
  ["a name that can be none", matching('name: "*"\n')],
  [
    "an operator that is none",
    matching("labelSelector:\n  matchExpressions:\n  - {key: a, operator: Like}\n"),
  ],
  [
    "an operator without values",
    matching("labelSelector:\n  matchExpressions:\n  - {key: a, operator: In}\n"),
  ],
  ["a scope that is none", matching("scope: All\n")],
];
