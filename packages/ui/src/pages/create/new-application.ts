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
  const { name, namespace, ...otherMeta } = app.metadata;
  const { project, destination, source: _one, sources: _several, syncPolicy = {}, ...otherSpec } = app.spec;
  const { automated, syncOptions = [], ...otherPolicy } = syncPolicy;
  const { prune, selfHeal, ...otherAutomated } = automated ?? {};
  const sources = sourcesOf(app);
  const [source] = sources;
  if (!source || sources.length > 1) return undefined;
  const { repoURL, path, chart, targetRevision, ...otherSource } = source;
  const others = [otherMeta, otherSpec, otherPolicy, otherAutomated, otherSource];
  if (others.some((one) => Object.keys(one).length > 0)) return undefined;
  const flags = [
    `--repo ${quoted(repoURL || "REPOSITORY")}`,
    chart ? `--helm-chart ${quoted(chart)}` : `--path ${quoted(path ?? ".")}`,
    `--revision ${quoted(targetRevision || "HEAD")}`,
    destination.name
      ? `--dest-name ${quoted(destination.name)}`
      : `--dest-server ${quoted(destination.server || "SERVER")}`,
    `--dest-namespace ${quoted(destination.namespace || "NAMESPACE")}`,
    `--project ${quoted(project)}`,
    namespace && namespace !== blank.metadata.namespace ? `--app-namespace ${quoted(namespace)}` : "",
    automated ? "--sync-policy automated" : "",
    prune ? "--auto-prune" : "",
    selfHeal ? "--self-heal" : "",
    ...syncOptions.map((option) => `--sync-option ${quoted(option)}`),
  ].filter((flag) => flag !== "");
  return [`capstan app create ${quoted(name || "NAME")}`, ...flags].join(" \\\n  ");
}
