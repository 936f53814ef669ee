import { join } from "node:path";

/** The real programs, a group per go.mod because their Kubernetes libraries differ. */
export interface Group {
  name: string;
  /** Of its go.mod, where another group has it too. */
  folder?: string;
  programs: readonly Program[];
  /** Programs with a go.mod each, of modules that must not share one; instead of a folder here. */
  repository?: Repository;
  /** Taken from the group's modules as they are, joined. */
  documents?: readonly Documents[];
  ldflags?: string;
}

export interface Documents {
  /** File name of the joined YAML documents. */
  name: string;
  /** Go module. */
  module: string;
  /** Within the module. */
  paths: readonly string[];
}

/** Where it is mirrored, git's own url.<mirror>.insteadOf says so. */
export interface Repository {
  url: string;
  commit: string;
  /** Within it; only this one is fetched. */
  folder: string;
}

export interface Program {
  /** File name of the built program. */
  name: string;
  /** Go package; in a repository the folder of its go.mod. */
  package: string;
  /** Its tests as a program (go test -c). */
  isTest?: true;
  /** For GOOS=js GOARCH=wasm instead of this machine. */
  isWasm?: true;
  /** Further names for programs that act by their name. */
  links?: readonly string[];
}

const kubeVersion = ["gitVersion=v1.36.3", "gitMajor=1", "gitMinor=36"]
  .map((value) => `-X k8s.io/component-base/version.${value}`)
  .join(" ");

/** Those whose own go.mod the public module proxy serves whole. */
const kptFunctions = [
  "apply-setters",
  "create-setters",
  "ensure-name-substring",
  "fix",
  "gatekeeper",
  "list-setters",
  "remove-local-config-resources",
  "search-replace",
  "set-annotations",
  "set-enforcement-action",
  "set-image",
  "set-namespace",
  "upsert-resource",
];

const one = (name: string, path: string): Group => ({ name, programs: [{ name, package: path }] });

export const groups: readonly Group[] = [
  {
    name: "kube",
    ldflags: kubeVersion,
    programs: [
      { name: "etcd", package: "go.etcd.io/etcd/server/v3" },
      ...["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"].map((name) => ({
        name,
        package: `k8s.io/kubernetes/cmd/${name}`,
      })),
    ],
  },
  {
    name: "kube-tests",
    folder: "kube",
    ldflags: kubeVersion,
    programs: [{ name: "e2e.test", package: "k8s.io/kubernetes/test/e2e", isTest: true }],
  },
  {
    name: "argocd",
    programs: [
      {
        name: "argocd",
        package: "github.com/argoproj/argo-cd/v3/cmd",
        links: [
          "repo-server",
          "cmp-server",
          "application-controller",
          "server",
          "applicationset-controller",
        ].map((part) => `argocd-${part}`),
      },
    ],
  },
  {
    name: "argocd-tests",
    folder: "argocd",
    programs: [{ name: "argocd-e2e.test", package: "github.com/argoproj/argo-cd/v3/test/e2e", isTest: true }],
  },
  {
    name: "argocd-rbac",
    folder: "argocd",
    programs: [{ name: "argocd-rbac", package: "./rbac" }],
  },
  { name: "helm3", programs: [{ name: "helm3", package: "helm.sh/helm/v3/cmd/helm" }] },
  { name: "helm4", programs: [{ name: "helm4", package: "helm.sh/helm/v4/cmd/helm" }] },
  { name: "go-template", programs: [{ name: "go-template", package: "." }] },
  { name: "expr", programs: [{ name: "expr", package: "." }] },
  {
    name: "notifications",
    programs: [
      { name: "notifications", package: "." },
      { name: "nats-server", package: "github.com/nats-io/nats-server/v2" },
    ],
  },
  { name: "cdk8s", programs: [{ name: "cdk8s-app", package: "." }] },
  one("helmfile", "github.com/helmfile/helmfile"),
  one("kustomize", "sigs.k8s.io/kustomize/kustomize/v5"),
  one("sops", "github.com/getsops/sops/v3/cmd/sops"),
  one("jsonnet", "github.com/google/go-jsonnet/cmd/jsonnet"),
  {
    name: "kpt-functions",
    repository: {
      url: "https://github.com/kptdev/krm-functions-catalog",
      commit: "76fe3817f9496724ca04414d136917a9926e5e40",
      folder: "functions/go",
    },
    programs: [
      ...kptFunctions.map((name) => ({ name: `kpt-${name}`, package: name })),
      { name: "kpt-set-namespace.wasm", package: "set-namespace", isWasm: true },
    ],
  },
  one("opa", "github.com/open-policy-agent/opa"),
  one("registry", "github.com/distribution/distribution/v3/cmd/registry"),
  { name: "otlp", programs: [{ name: "otlp-receiver", package: "." }] },
  one("crane", "github.com/google/go-containerregistry/cmd/crane"),
  {
    name: "kwok",
    programs: [{ name: "kwok", package: "sigs.k8s.io/kwok/cmd/kwok" }],
    documents: [
      {
        name: "kwok-stages.yaml",
        module: "sigs.k8s.io/kwok",
        paths: [
          "node/fast/node-initialize.yaml",
          "node/heartbeat/node-heartbeat.yaml",
          "pod/fast/pod-ready.yaml",
          "pod/fast/pod-complete.yaml",
          "pod/fast/pod-delete.yaml",
        ].map((path) => `kustomize/stage/${path}`),
      },
    ],
  },
];

export const folderOf = ({ name, folder = name }: Group): string => join(import.meta.dirname, folder);
