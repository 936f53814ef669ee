import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import { type AppProject, argoApiVersion as apiVersion, type Manifest } from "@capstan/model";
import { eventually } from "./real-clock.ts";

/** What tests ask of an Application's status. */
export interface ApplicationView {
  name: string;
  sync: string;
  health: string;
  revision: string;
  phase: string;
  message: string;
  conditions: readonly { type: string; message: string }[];
  resources: readonly { kind: string; name: string; status: string }[];
}

export interface ApplicationSketch {
  name: string;
  repoURL: string;
  path?: string;
  source?: Readonly<Record<string, unknown>>;
  project?: string;
  destination?: Readonly<Record<string, unknown>>;
  syncPolicy?: Readonly<Record<string, unknown>>;
  ignoreDifferences?: readonly Readonly<Record<string, unknown>>[];
}

const automated = { automated: { prune: true, selfHeal: true }, syncOptions: ["CreateNamespace=true"] };

export function sketchApplication(sketch: ApplicationSketch): Manifest {
  const { name, repoURL, path = ".", source = {}, project = "default", syncPolicy = automated } = sketch;
  const { ignoreDifferences } = sketch;
  const destination = sketch.destination ?? { server: "https://kubernetes.default.svc", namespace: name };
  return {
    apiVersion,
    kind: "Application",
    metadata: { name, namespace: "argocd" },
    spec: {
      ...{ project, destination, syncPolicy },
      source: { repoURL, path, targetRevision: "main", ...source },
      ...(ignoreDifferences ? { ignoreDifferences } : {}),
    },
  };
}

/** A project that permits everything but what `spec` says otherwise. */
export function sketchProject(name: string, spec: Partial<AppProject["spec"]> = {}): AppProject & Manifest {
  return {
    apiVersion,
    kind: "AppProject",
    metadata: { name, namespace: "argocd" },
    spec: {
      sourceRepos: ["*"],
      destinations: [{ server: "*", namespace: "*" }],
      clusterResourceWhitelist: [{ group: "*", kind: "*" }],
      ...spec,
    },
  };
}

type Fields = Record<string, unknown>;
const fieldsAt = (value: Fields, name: string): Fields => {
  const found = value[name];
  return isRecord(found) ? found : {};
};
const textAt = (value: Fields, name: string): string => {
  const found = value[name];
  return typeof found === "string" ? found : "";
};
const rowsAt = (value: Fields, name: string): Fields[] => {
  const found = value[name];
  return Array.isArray(found) ? found.filter(isRecord) : [];
};

export function viewApplication(application: Manifest): ApplicationView {
  const status = fieldsAt(application, "status");
  const operation = fieldsAt(status, "operationState");
  return {
    name: application.metadata.name ?? "",
    sync: textAt(fieldsAt(status, "sync"), "status"),
    health: textAt(fieldsAt(status, "health"), "status"),
    revision: textAt(fieldsAt(status, "sync"), "revision"),
    phase: textAt(operation, "phase"),
    message: textAt(operation, "message"),
    conditions: rowsAt(status, "conditions").map((one) => ({
      type: textAt(one, "type"),
      message: textAt(one, "message"),
    })),
    resources: rowsAt(status, "resources").map((one) => ({
      kind: textAt(one, "kind"),
      name: textAt(one, "name"),
      status: textAt(one, "status"),
    })),
  };
}

export async function readApplications(
  kube: KubeClient,
  signal: AbortSignal,
): Promise<readonly ApplicationView[]> {
  const { items } = await kube.list({ apiVersion, kind: "Application", namespace: "argocd" }, signal);
  return items.map(viewApplication);
}

/** Waits until the Application is as `isSo` says; a failure prints what it is instead. */
export async function untilApplication(
  kube: KubeClient,
  name: string,
  isSo: ((view: ApplicationView) => boolean) | { isSo: (view: ApplicationView) => boolean; limitMs: number },
): Promise<ApplicationView> {
  const wanted = typeof isSo === "function" ? { isSo, limitMs: 60_000 } : isSo;
  const signal = AbortSignal.timeout(wanted.limitMs);
  let last: unknown = "absent";
  return eventually(
    async () => {
      // A limit of its own: what the Application is at the end stands in the failure.
      const one = AbortSignal.timeout(100_000);
      const found = await kube.get({ apiVersion, kind: "Application", namespace: "argocd", name }, one);
      if (!found) return undefined;
      const view = viewApplication(found);
      last = view;
      return wanted.isSo(view) ? view : undefined;
    },
    { signal, describe: () => `Application ${name} is still ${JSON.stringify(last, undefined, 2)}` },
  );
}

export const isSettled = ({ sync, health }: ApplicationView): boolean =>
  sync === "Synced" && health === "Healthy";
