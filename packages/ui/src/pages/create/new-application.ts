import { type Application, formatSyncOption } from "@capstan/model";

export interface NewApplication {
  readonly name: string;
  readonly project: string;
  readonly repository: string;
  readonly revision: string;
  readonly path: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly automatic: boolean;
  readonly prune: boolean;
  readonly selfHeal: boolean;
  readonly createNamespace: boolean;
}

export const blank: NewApplication = {
  name: "",
  project: "default",
  repository: "",
  revision: "HEAD",
  path: ".",
  cluster: "https://kubernetes.default.svc",
  namespace: "",
  automatic: true,
  prune: false,
  selfHeal: false,
  createNamespace: true,
};

const createNamespace = formatSyncOption("CreateNamespace", true);

export function toApplication(form: NewApplication): Application {
  const automated = form.automatic ? { automated: { prune: form.prune, selfHeal: form.selfHeal } } : {};
  const options = form.createNamespace ? { syncOptions: [createNamespace] } : {};
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: form.name, namespace: "argocd" },
    spec: {
      project: form.project,
      source: { repoURL: form.repository, path: form.path, targetRevision: form.revision },
      destination: { server: form.cluster, namespace: form.namespace },
      syncPolicy: { ...automated, ...options },
    },
  };
}

function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}

/** The same by hand, to be kept in a script. */
export function toCommand(form: NewApplication): string {
  const flags = [
    `--repo ${quoted(form.repository || "REPOSITORY")}`,
    `--path ${quoted(form.path)}`,
    `--revision ${quoted(form.revision)}`,
    `--dest-server ${quoted(form.cluster)}`,
    `--dest-namespace ${quoted(form.namespace || "NAMESPACE")}`,
    `--project ${quoted(form.project)}`,
    form.automatic ? "--sync-policy automated" : "",
    form.automatic && form.prune ? "--auto-prune" : "",
    form.automatic && form.selfHeal ? "--self-heal" : "",
    form.createNamespace ? `--sync-option ${createNamespace}` : "",
  ].filter((flag) => flag !== "");
  return [`capstan app create ${quoted(form.name || "NAME")}`, ...flags].join(" \\\n  ");
}
