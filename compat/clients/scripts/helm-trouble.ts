import type { Script } from "../script.ts";
import { chartFiles } from "./chart-files.ts";

const crd = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "slots.helm.example.com" },
  spec: {
    group: "helm.example.com",
    scope: "Namespaced",
    names: { kind: "Slot", plural: "slots", singular: "slot" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

export const helmTrouble: readonly Script[] = [
  {
    name: "helm-trouble",
    client: "helm",
    files: chartFiles,
    steps: [
      "helm install bad shop --set badName=true",
      "helm list -a",
      "helm uninstall bad --no-hooks",
      "helm install broken shop --no-hooks --atomic --timeout=10s --set badName=true",
      "helm list -q",
      "kubectl get configmap,service -o name",
      "helm install good shop --no-hooks",
      "helm upgrade good shop --no-hooks --atomic --timeout=10s --set badName=true",
      "helm history good",
      "helm upgrade good shop --no-hooks --atomic --timeout=5s --set replicas=-1",
      "helm history good",
      "helm upgrade good shop --no-hooks --set replicas=x",
      "kubectl get deployment good-web -o jsonpath='{.spec.replicas}'",
      "kubectl delete deployment good-web && helm upgrade good shop --no-hooks --set note=healed",
      "kubectl get deployment good-web -o name",
      "kubectl create configmap other-settings && helm install other shop --no-hooks",
      "helm install other shop --no-hooks --take-ownership",
      "kubectl get configmap other-settings -o jsonpath='{.metadata.labels}'",
      "helm upgrade good shop --no-hooks --force-conflicts",
      "helm uninstall good other --no-hooks",
    ],
  },
  {
    name: "helm-crds",
    client: "helm",
    files: {
      "slots/Chart.yaml": JSON.stringify({ apiVersion: "v2", name: "slots", version: "1.0.0" }),
      "slots/crds/slot.yaml": crd,
      "slots/templates/one.yaml":
        "apiVersion: helm.example.com/v1\nkind: Slot\nmetadata: {name: one}\nspec: {a: 1}\n",
    },
    steps: [
      "helm install s slots",
      "kubectl get slots",
      "kubectl get slot one -o jsonpath='{.spec} {.metadata.labels}'",
      "helm upgrade s slots --set x=y",
      "helm uninstall s",
      "kubectl delete crd slots.helm.example.com",
    ],
  },
];
