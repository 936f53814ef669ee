import type { Script } from "../script.ts";

const set = (name: string, label: string, project = "default"): string => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: ${name}
  labels: {team: ${label}}
spec:
  goTemplate: true
  generators:
  - list: {elements: [{name: one}, {name: two}]}
  template:
    metadata: {name: '${name}-{{.name}}'}
    spec:
      project: ${project}
      source: {repoURL: $GIT, path: second, targetRevision: HEAD}
      destination: {server: https://kubernetes.default.svc, namespace: default}
`;

/** Until its controller has looked at it. */
const untilMade = (name: string): string =>
  `for i in $(seq 60); do argocd appset get ${name} | grep -q '^ResourcesUpToDate  *True' && break; sleep 0.5; done`;

const made = ["many", "first-set", "second-set"].flatMap((name) => [`${name}-one`, `${name}-two`]);

export const appsets: readonly Script[] = [
  {
    name: "appsets",
    files: {
      "many.yaml": set("many", "a"),
      "other.yaml": set("many", "b"),
      "templated.yaml": set("templated", "a", "'{{.name}}'"),
      "missing.yaml": set("missing", "a", "none"),
      "both.yaml": `${set("first-set", "a")}---\n${set("second-set", "b")}`,
      "nonsense.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n",
    },
    steps: [
      "argocd appset list",
      "argocd appset create many.yaml",
      untilMade("many"),
      "argocd appset create many.yaml",
      "argocd appset create other.yaml",
      "argocd appset create other.yaml --upsert",
      "argocd appset create templated.yaml",
      "argocd appset create missing.yaml",
      "argocd appset create nonsense.yaml",
      "argocd appset create none.yaml",
      "argocd appset create both.yaml",
      untilMade("first-set"),
      untilMade("second-set"),
      "argocd appset get many",
      "argocd appset get many -o yaml | sed -n '/^spec/,/^status/p'",
      'argocd appset get many -o json | sed -n \'/"spec"/,/"status"/p\'',
      "argocd appset get many --show-params",
      "argocd appset get none",
      "argocd appset list",
      "argocd appset list -o name",
      "argocd appset list -l team=b -o name",
      "argocd appset list --project none",
      "argocd appset generate many.yaml",
      "argocd appset generate many.yaml -o name",
      "argocd appset create many.yaml --dry-run",
      "argocd appset delete many first-set --yes",
      "argocd appset delete second-set --yes",
      "argocd appset delete none --yes",
      "argocd appset list",
      // What the sets made goes in its time: the scripts after this one list Applications.
      ...made.map((name) => `argocd app wait ${name} --delete --timeout 60 > /dev/null 2>&1; true`),
    ],
  },
];
