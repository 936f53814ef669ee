import type { Script } from "../script.ts";
import { deployment } from "./manifests.ts";

/** A node of the script's own: the clusters' one node serves the other scripts. */
const node = JSON.stringify({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "NODE", labels: { own: "NODE" } },
  spec: { taints: [{ key: "own", value: "NODE", effect: "NoSchedule" }] },
});

export const kubectlNodes: readonly Script[] = [
  {
    name: "nodes",
    slow: true,
    client: "kubectl",
    files: { "node.yaml": node, "web.yaml": deployment("web") },
    steps: [
      'sed -i "s/NODE/$NAMESPACE/g" node.yaml; kubectl create -f node.yaml',
      "kubectl cordon $NAMESPACE",
      "kubectl cordon $NAMESPACE",
      "kubectl get node $NAMESPACE -o jsonpath='{.spec.unschedulable}'",
      "kubectl uncordon $NAMESPACE",
      "kubectl taint node $NAMESPACE a=b:NoSchedule",
      "kubectl taint node $NAMESPACE a=c:NoSchedule",
      "kubectl taint node $NAMESPACE a=c:NoSchedule --overwrite",
      "kubectl taint node $NAMESPACE a=c:Nothing",
      "kubectl get node $NAMESPACE -o jsonpath='{.spec.taints[?(@.key==\"a\")]}'",
      "kubectl taint node $NAMESPACE a-",
      "kubectl taint node $NAMESPACE a-",
      "kubectl label node $NAMESPACE role=x",
      "kubectl drain $NAMESPACE --ignore-daemonsets",
      "kubectl uncordon $NAMESPACE",
      "kubectl apply -f web.yaml",
      "kubectl rollout status deployment/web --timeout=60s | tail -1",
      "kubectl create poddisruptionbudget all --selector=app=web --min-available=1",
      "kubectl wait pdb/all --for=jsonpath='{.status.currentHealthy}'=1 --timeout=30s",
      "kubectl delete pdb all",
      // Without a budget, and of this namespace alone: kubectl asks again and again for what is refused.
      "kubectl label pods -l app=web of=$NAMESPACE | grep -c labeled",
      "kubectl drain -l '!own' --pod-selector=of=$NAMESPACE --dry-run=server --force --ignore-daemonsets --timeout=30s | grep -c web-",
      "kubectl delete node $NAMESPACE",
      "kubectl top nodes",
      "kubectl cluster-info dump -o name >/dev/null",
    ],
  },
];
