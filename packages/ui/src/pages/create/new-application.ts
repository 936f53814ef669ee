import { type Application, formatSyncOption } from "@capstan/model";
import { sourcesOf } from "../../parts/application-facts.ts";

const createNamespace = formatSyncOption("CreateNamespace", true);

export const blank: Application = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "", namespace: "argocd" },
  spec: {
    project: "default",
    source: { repoURL: "", path: ".", targetRevision: "HEAD" },
    destination: { server: "https://kubernetes.default.svc", namespace: "" },
    syncPolicy: { automated: {}, syncOptions: [createNamespace] },
  },
};

function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}

/** The same by hand, to be kept in a script; nothing where it takes more than flags. */
export function toCommand(app: Application): string | undefined {
  const { metadata, spec } = app;
  const { destination, syncPolicy = {}, project } = spec;
  const sources = sourcesOf(app);
  const [source] = sources;
  if (!source || sources.length > 1 || spec.ignoreDifferences || metadata.labels) return undefined;
  const { automated, syncOptions = [] } = syncPolicy;
  const flags = [
    `--repo ${quoted(source.repoURL || "REPOSITORY")}`,
    source.chart ? `--helm-chart ${quoted(source.chart)}` : `--path ${quoted(source.path ?? ".")}`,
    `--revision ${quoted(source.targetRevision || "HEAD")}`,
    destination.name
      ? `--dest-name ${quoted(destination.name)}`
      : `--dest-server ${quoted(destination.server || "SERVER")}`,
    `--dest-namespace ${quoted(destination.namespace || "NAMESPACE")}`,
    `--project ${quoted(project)}`,
    automated ? "--sync-policy automated" : "",
    automated?.prune ? "--auto-prune" : "",
    automated?.selfHeal ? "--self-heal" : "",
    ...syncOptions.map((option) => `--sync-option ${quoted(option)}`),
  ].filter((flag) => flag !== "");
  return [`capstan app create ${quoted(metadata.name || "NAME")}`, ...flags].join(" \\\n  ");
}
