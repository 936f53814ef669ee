import type { Script } from "../script.ts";

const request = (name: string): string => `cat > csr.yaml <<END
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: ${name}}
spec:
  signerName: example.com/own
  usages: [client auth]
  request: $(openssl req -new -newkey rsa:2048 -nodes -keyout /dev/null -subj /CN=x 2>/dev/null | base64 -w0)
END
kubectl create -f csr.yaml`;

export const kubectlServer: readonly Script[] = [
  {
    name: "server",
    client: "kubectl",
    steps: [
      "kubectl version",
      "kubectl version -o json | grep -E '\"(major|minor|gitVersion)\"'",
      "kubectl cluster-info",
      { run: "kubectl api-versions", compare: "lines" },
      { run: "kubectl api-resources -o wide", compare: "lines" },
      { run: "kubectl api-resources --namespaced=false --verbs=list,watch -o name", compare: "lines" },
      "kubectl explain deployment.spec.strategy",
      "kubectl explain pod.spec.containers.livenessProbe --recursive",
      "kubectl explain service.spec.type",
      "kubectl explain nothing",
      "kubectl explain configmap.nothing",
      "kubectl get namespaces default kube-system kube-public kube-node-lease",
      "kubectl get --raw /healthz",
      "kubectl get --raw '/readyz?verbose' | tail -1",
      "kubectl get --raw /livez/ping",
      "kubectl get --raw /nothing",
      "kubectl get priorityclasses",
      "kubectl get flowschemas -o name | head -3",
      "kubectl get service kubernetes --namespace=default -o jsonpath='{.spec.ports[0].name} {.spec.ports[0].port}'",
      "kubectl get clusterrole view edit admin cluster-admin -o name",
      "kubectl get --raw /version | grep -c gitVersion",
    ],
  },
  {
    name: "access",
    client: "kubectl",
    steps: [
      { run: "kubectl auth whoami", compare: "code" },
      "kubectl auth can-i create deployments",
      "kubectl auth can-i '*' '*' --all-namespaces",
      "kubectl create serviceaccount robot",
      "kubectl create rolebinding robot-views --clusterrole=view --serviceaccount=$NAMESPACE:robot",
      "kubectl auth can-i list pods --as=system:serviceaccount:$NAMESPACE:robot",
      "kubectl auth can-i delete pods --as=system:serviceaccount:$NAMESPACE:robot",
      "kubectl get pods --as=system:serviceaccount:$NAMESPACE:robot",
      "kubectl create configmap x --as=system:serviceaccount:$NAMESPACE:robot",
      "kubectl get secrets --as=ann --as-group=dev",
      "kubectl auth whoami --as=ann --as-group=dev",
      { run: "kubectl auth can-i --list --as=ann", compare: "lines" },
      "KUBECONFIG=/dev/null kubectl --server=$(kubectl config view -o jsonpath='{..server}') --insecure-skip-tls-verify --token=$(kubectl create token robot) auth whoami",
      "KUBECONFIG=/dev/null kubectl --server=$(kubectl config view -o jsonpath='{..server}') --insecure-skip-tls-verify --token=wrong get pods",
      "kubectl create role r --verb=get --resource=pods --dry-run=client -o yaml | kubectl auth reconcile -f -",
      "kubectl create role r --verb=get,list --resource=pods --dry-run=client -o yaml | kubectl auth reconcile -f -",
      "kubectl get role r -o jsonpath='{.rules}'",
    ],
  },
  {
    name: "nodes-and-certificates",
    client: "kubectl",
    steps: [
      `kubectl delete csr one two --ignore-not-found >/dev/null; ${request("one")}`,
      request("two"),
      "kubectl certificate approve one",
      "kubectl certificate deny two",
      "kubectl get csr one two -o jsonpath='{range .items[*]}{.status.conditions[*].type}{.status.conditions[*].reason} {end}'",
      "kubectl certificate approve none",
      "kubectl delete csr one two",
      "kubectl get nodes -l '!own' -o jsonpath='{range .items[*]}{.status.conditions[?(@.type==\"Ready\")].status}{end}'",
      "kubectl cordon $(kubectl get nodes -l '!own' -o name | head -1) --dry-run=server",
      "kubectl taint $(kubectl get nodes -l '!own' -o name | head -1) a=b:NoSchedule --dry-run=server",
      "kubectl drain $(kubectl get nodes -l '!own' -o name | head -1) --dry-run=client --ignore-daemonsets --force --pod-selector=app=none",
      "kubectl label $(kubectl get nodes -l '!own' -o name | head -1) a=b --dry-run=server",
      "kubectl cordon none",
    ],
  },
];
