import type { Script } from "../script.ts";
import { configMap, deployment, documents } from "./manifests.ts";

const definition = (name: string, scope: string): string =>
  JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.clients.example.com` },
    spec: {
      group: "clients.example.com",
      scope,
      names: {
        kind: "Thing",
        plural: `${name}s`,
        singular: name,
        shortNames: [`${name}x`],
        categories: ["all"],
      },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
          },
          additionalPrinterColumns: [
            { name: "Size", type: "integer", jsonPath: ".spec.size", description: "How many." },
            { name: "Wide", type: "string", jsonPath: ".spec.note", priority: 1 },
          ],
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "A thing of the test.",
              required: ["spec"],
              properties: {
                spec: {
                  type: "object",
                  description: "What is wanted.",
                  required: ["size"],
                  properties: {
                    size: { type: "integer", minimum: 0, maximum: 9, description: "How many." },
                    note: { type: "string", enum: ["a", "b"], default: "a" },
                  },
                },
                status: { type: "object", properties: { size: { type: "integer" } } },
              },
            },
          },
        },
      ],
    },
  });

const thing = (name: string, spec: object): string =>
  JSON.stringify({ apiVersion: "clients.example.com/v1", kind: "Thing", metadata: { name }, spec });

export const kubectlLook: readonly Script[] = [
  {
    name: "get",
    client: "kubectl",
    files: {
      "all.yaml": documents(
        deployment("web", { replicas: 2 }),
        configMap("one", { b: "2", a: "1" }, { labels: { tier: "x" } }),
        configMap("two", {}, { labels: { tier: "y" } }),
      ),
    },
    steps: [
      "kubectl apply -f all.yaml",
      "kubectl rollout status deployment/web --timeout=60s >/dev/null",
      "kubectl get deployment,replicaset",
      "kubectl get pods",
      "kubectl get pods -o wide",
      "kubectl get all",
      "kubectl get deployment web -o wide",
      "kubectl get configmap --show-labels",
      "kubectl get configmap -L tier",
      "kubectl get configmap -l 'tier in (x,z)'",
      "kubectl get configmap -l tier!=x --no-headers",
      "kubectl get configmap -l 'tier in x'",
      "kubectl get configmap --field-selector=metadata.name=one",
      "kubectl get configmap --field-selector=data.a=1",
      "kubectl get configmap --sort-by=.metadata.name -o name",
      "kubectl get configmap --chunk-size=1 -o name",
      "kubectl get configmap one -o yaml",
      "kubectl get configmap one -o json",
      "kubectl get deployment web -o yaml --show-managed-fields=false",
      "kubectl get configmap one two -o jsonpath='{range .items[*]}{.metadata.name}={.data}{\"\\n\"}{end}'",
      "kubectl get configmap one -o go-template='{{range $k, $v := .data}}{{$k}}{{$v}} {{end}}'",
      "kubectl get configmap one -o template",
      "kubectl get configmap none",
      "kubectl get nothing",
      "kubectl get configmap one --watch --request-timeout=2s --output-watch-events",
      "kubectl get pods --field-selector=status.phase=Running -o name | wc -l",
      "kubectl get --raw /api/v1/namespaces/default/configmaps?limit=1 | grep -c ConfigMapList",
      "kubectl get deployment web --subresource=scale",
      "kubectl get deployment web --subresource=status -o jsonpath='{.status.readyReplicas}'",
      "kubectl get endpointslices,persistentvolumeclaims,jobs",
      "kubectl describe configmap one",
      "kubectl describe deployment web",
      "kubectl describe replicaset -l app=web | sed '/^Events/,$d'",
      "kubectl describe pod -l app=web | grep -E '^(Name|Priority|Labels|Status|Controlled By|QoS Class|  main|Conditions|    Image|    State):'",
      "kubectl describe none x",
      { run: "kubectl events --for deployment/web", compare: "lines" },
      {
        run: "kubectl get events --field-selector=involvedObject.kind=ReplicaSet --no-headers",
        compare: "lines",
      },
      "kubectl logs deployment/none",
      "kubectl top pods",
    ],
  },
  {
    name: "custom-resources",
    client: "kubectl",
    files: {
      "crd.yaml": definition("thing", "Namespaced"),
      "one.yaml": thing("one", { size: 2 }),
      "big.yaml": thing("big", { size: 20, note: "c" }),
      "less.yaml": thing("less", {}),
      "more.yaml": thing("more", { size: 1, other: true }),
    },
    steps: [
      "kubectl apply -f crd.yaml",
      "kubectl wait crd/things.clients.example.com --for=condition=Established --timeout=30s",
      {
        run: "for i in 1 2 3 4 5 6 7 8 9 10; do kubectl get things >/dev/null 2>&1 && break; sleep 0.5; done",
        compare: "code",
      },
      {
        run: "for i in 1 2 3 4 5 6 7 8 9 10; do kubectl explain thing.spec.size >/dev/null 2>&1 && break; sleep 0.5; done",
        compare: "code",
      },
      "kubectl apply -f one.yaml",
      { run: "kubectl apply -f big.yaml", compare: "lines" },
      "kubectl apply -f less.yaml",
      "kubectl apply -f more.yaml",
      "kubectl apply -f more.yaml --validate=ignore",
      "kubectl get thingx",
      "kubectl get things.clients.example.com -o wide",
      "kubectl get things.v1.clients.example.com one -o yaml",
      "kubectl get all",
      "kubectl scale thing one --replicas=3",
      "kubectl scale thing one --replicas=10",
      'kubectl patch thing one --type=merge -p \'{"spec":{"note":"b"}}\'',
      'kubectl patch thing one -p \'{"spec":{"note":"b"}}\'',
      'kubectl patch thing one --subresource=status --type=merge -p \'{"status":{"size":3}}\'',
      "kubectl explain thing",
      "kubectl explain thing.spec --recursive",
      "kubectl describe thing one",
      "kubectl api-resources --api-group=clients.example.com",
      "kubectl describe crd things.clients.example.com",
      "kubectl get crd things.clients.example.com",
      "kubectl wait thing/one --for=jsonpath='{.status.size}'=3 --timeout=10s",
      "kubectl delete crd things.clients.example.com",
      "kubectl get things",
    ],
  },
];
