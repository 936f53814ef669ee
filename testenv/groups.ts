/** The real programs, a group per go.mod because their Kubernetes libraries differ (spec/testenv.md). */
export interface Group {
  name: string;
  programs: readonly Program[];
  ldflags?: string;
}

export interface Program {
  /** File name of the built program. */
  name: string;
  /** Go package. */
  package: string;
  /** Further names for programs that act by their name. */
  links?: readonly string[];
}

const kubeVersion = ["gitVersion=v1.36.3", "gitMajor=1", "gitMinor=36"]
  .map((value) => `-X k8s.io/component-base/version.${value}`)
  .join(" ");

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
  { name: "helm3", programs: [{ name: "helm3", package: "helm.sh/helm/v3/cmd/helm" }] },
  { name: "helm4", programs: [{ name: "helm4", package: "helm.sh/helm/v4/cmd/helm" }] },
  one("kustomize", "sigs.k8s.io/kustomize/kustomize/v5"),
  one("sops", "github.com/getsops/sops/v3/cmd/sops"),
  one("jsonnet", "github.com/google/go-jsonnet/cmd/jsonnet"),
  one("registry", "github.com/distribution/distribution/v3/cmd/registry"),
  one("crane", "github.com/google/go-containerregistry/cmd/crane"),
  one("kwok", "sigs.k8s.io/kwok/cmd/kwok"),
];
