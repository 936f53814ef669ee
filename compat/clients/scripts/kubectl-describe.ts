import type { Script } from "../script.ts";
import { documents } from "./manifests.ts";
import { clusterWide, namespaced } from "./one-of-each.ts";

const nameOf = (kind: string): string => `${kind.toLowerCase()}/one`;

/** Events come at their own times; what a controller counts, the script waits for. */
const withoutEvents = "sed '/^Events/,$d'";

export const kubectlDescribe: readonly Script[] = [
  {
    name: "describe",
    slow: true,
    client: "kubectl",
    files: { "all.yaml": documents(...namespaced.map((object) => JSON.stringify(object))) },
    steps: [
      "kubectl create -f all.yaml",
      "kubectl wait deployment/one statefulset/one --for=jsonpath='{.status.readyReplicas}'=1 --timeout=60s",
      "kubectl wait job/one --for=condition=Complete --timeout=60s",
      "kubectl wait hpa/one --for=condition=AbleToScale=false --timeout=60s",
      "kubectl wait quota/one --for=jsonpath='{.status.used.configmaps}'=2 --timeout=30s",
      ...namespaced.map(({ kind }) => `kubectl describe ${nameOf(kind)} | ${withoutEvents}`),
      ...namespaced.map(({ kind }) => `kubectl get ${nameOf(kind)}`),
      ...namespaced.map(({ kind }) => `kubectl get ${nameOf(kind)} -o wide`),
      "kubectl describe configmap,secret -l set=one",
      "kubectl describe -f all.yaml | grep -c ^Name:",
      "kubectl describe configmap on",
      "kubectl delete -f all.yaml --wait=false",
    ],
  },
  {
    name: "describe-cluster-wide",
    slow: true,
    client: "kubectl",
    files: { "all.yaml": documents(...clusterWide.map((object) => JSON.stringify(object))) },
    steps: [
      'sed -i "s/ONE/$NAMESPACE/g" all.yaml; kubectl create -f all.yaml',
      ...clusterWide.map(
        ({ kind }) => `kubectl describe ${kind.toLowerCase()} $NAMESPACE | ${withoutEvents}`,
      ),
      ...clusterWide.map(({ kind }) => `kubectl get ${kind.toLowerCase()} $NAMESPACE`),
      "kubectl describe namespace $NAMESPACE",
      "kubectl describe apiservice v1.apps",
      "kubectl get apiservices | grep -v v1.resource",
      "kubectl delete -f all.yaml",
    ],
  },
];
