import type { Script } from "../script.ts";
import { configMap, deployment, documents } from "./manifests.ts";

const ours = { labels: { set: "ours" } };

export const kubectlApply: readonly Script[] = [
  {
    name: "apply",
    client: "kubectl",
    files: {
      "web.yaml": deployment("web"),
      "web-2.yaml": deployment("web", { image: "nginx:1.28", replicas: 2 }),
      "typo.yaml": configMap("typo", {}).replace('"data"', '"dataa"'),
      "wrong.yaml": configMap("wrong", {}).replace("{}}", '{"a":1}}'),
      "bad.yaml": deployment("Bad_Name"),
      "unknown.yaml": '{"apiVersion":"example.com/v1","kind":"Nothing","metadata":{"name":"x"}}',
    },
    steps: [
      "kubectl apply -f web.yaml",
      "kubectl apply -f web.yaml",
      "kubectl rollout status deployment/web --timeout=60s >/dev/null",
      "kubectl diff -f web.yaml; echo $?",
      { run: "kubectl diff -f web-2.yaml | grep '^[+-] '; echo $?", compare: "lines" },
      "kubectl apply -f web-2.yaml --dry-run=client",
      "kubectl apply -f web-2.yaml --dry-run=server",
      "kubectl apply -f web-2.yaml",
      "kubectl apply view-last-applied deployment/web",
      "kubectl apply set-last-applied -f web.yaml",
      "kubectl apply -f typo.yaml",
      "kubectl apply -f typo.yaml --validate=warn",
      "kubectl apply -f typo.yaml --validate=ignore",
      "kubectl apply -f wrong.yaml",
      "kubectl apply -f bad.yaml",
      "kubectl apply -f unknown.yaml",
      "kubectl apply -f absent.yaml",
      "kubectl apply -f web.yaml -o name",
      "kubectl apply -f web.yaml -o jsonpath='{.spec.template.spec.containers[0].image}'",
    ],
  },
  {
    name: "apply-server-side",
    client: "kubectl",
    files: {
      "web.yaml": deployment("web"),
      "web-2.yaml": deployment("web", { image: "nginx:1.28" }),
    },
    steps: [
      "kubectl apply --server-side -f web.yaml",
      "kubectl apply --server-side -f web.yaml",
      "kubectl apply --server-side -f web-2.yaml --field-manager=other",
      "kubectl apply --server-side -f web-2.yaml --field-manager=other --force-conflicts",
      "kubectl get deployment web --show-managed-fields -o jsonpath='{.metadata.managedFields[?(@.operation==\"Apply\")]}'",
      "kubectl apply --server-side --dry-run=server -f web.yaml",
      "kubectl diff --server-side --force-conflicts -f web.yaml | grep image",
      "kubectl apply -f web.yaml",
      "kubectl apply --server-side -f web.yaml --force-conflicts",
    ],
  },
  {
    name: "apply-prune",
    client: "kubectl",
    files: {
      "all.yaml": documents(configMap("one", { a: "1" }, ours), configMap("two", { a: "2" }, ours)),
      "less.yaml": documents(configMap("one", { a: "1" }, ours)),
    },
    steps: [
      "kubectl apply -f all.yaml",
      "kubectl apply -f less.yaml --prune -l set=ours --prune-allowlist=core/v1/ConfigMap --dry-run=server",
      "kubectl apply -f less.yaml --prune -l set=ours --prune-allowlist=core/v1/ConfigMap",
      "kubectl get configmap -l set=ours -o name",
      "kubectl create secret generic my-set && KUBECTL_APPLYSET=true kubectl apply -f all.yaml --prune --applyset=my-set -n $NAMESPACE",
      "KUBECTL_APPLYSET=true kubectl apply -f less.yaml --prune --applyset=my-set -n $NAMESPACE",
      "kubectl get configmap -l set=ours -o name",
      "kubectl delete -f all.yaml --ignore-not-found",
      "kubectl delete -f all.yaml",
    ],
  },
  {
    name: "kustomize",
    client: "kubectl",
    files: {
      "base/kustomization.yaml":
        "resources: [web.yaml]\nnamePrefix: a-\nimages: [{name: nginx, newTag: '2'}]\n",
      "base/web.yaml": deployment("web", { replicas: 0 }),
    },
    steps: [
      "kubectl kustomize base",
      "kubectl apply -k base",
      "kubectl get -k base -o name",
      "kubectl diff -k base",
      "kubectl delete -k base",
    ],
  },
];
