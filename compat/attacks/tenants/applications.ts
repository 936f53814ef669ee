import type { Dice } from "../../dice.ts";
import { names, namespaces, randomOptions } from "./manifests.ts";

type Fields = Record<string, unknown>;

const inCluster = "https://kubernetes.default.svc";
export const repositories = ["team-random", "team-random", "team-random", "rival-app"] as const;

/** An Application as somebody writes it who may write Applications and nothing else. */
export function randomApplication(dice: Dice, { name, path, gitUrl }: Place): Fields {
  const source = { repoURL: `${gitUrl}/team-random.git`, path, targetRevision: "main" };
  const destination = {
    ...(dice.chance(0.9) ? { server: inCluster } : { name: dice.pick(["in-cluster", "elsewhere"]) }),
    namespace: dice.chance(0.7)
      ? "team-a"
      : dice.pick(["team-a", "team-b", "team-c", "rival-a", "argocd", ""]),
  };
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: {
      name,
      namespace: "argocd",
      ...(dice.chance(0.5) ? { finalizers: ["resources-finalizer.argocd.argoproj.io"] } : {}),
    },
    spec: {
      project: dice.chance(0.95) ? "team" : dice.pick(["team", "missing"]),
      source,
      destination,
      syncPolicy: {
        ...(dice.chance(0.8) ? { automated: { prune: true, selfHeal: dice.chance(0.5) } } : {}),
        syncOptions: [...randomOptions(dice), ...(dice.chance(0.5) ? ["CreateNamespace=true"] : [])],
        ...(dice.chance(0.1) ? { managedNamespaceMetadata: { labels: { tenant: "was-here" } } } : {}),
        retry: { limit: 0 },
      },
    },
    ...(dice.chance(0.3) ? { operation: randomOperation(dice, gitUrl) } : {}),
    ...(dice.chance(0.3) ? { status: randomStatus(dice, gitUrl) } : {}),
  };
}

interface Place {
  name: string;
  path: string;
  gitUrl: string;
}

/** What a tenant may hope that the controller does without asking. */
function randomOperation(dice: Dice, gitUrl: string): Fields {
  const repoURL = `${gitUrl}/${dice.pick(repositories)}.git`;
  return {
    initiatedBy: { username: dice.pick(["admin", "alice", ""]), automated: dice.chance(0.5) },
    sync: {
      prune: true,
      ...(dice.chance(0.6) ? { source: { repoURL, path: ".", targetRevision: "main" } } : {}),
      ...(dice.chance(0.3) ? { syncOptions: randomOptions(dice) } : {}),
      ...(dice.chance(0.3) ? { resources: [forgedResource(dice)] } : {}),
      ...(dice.chance(0.3)
        ? {
            manifests: [
              JSON.stringify({
                apiVersion: "v1",
                kind: "ConfigMap",
                metadata: { name: "by-manifests", namespace: "rival-a" },
              }),
            ],
          }
        : {}),
    },
  };
}

function randomStatus(dice: Dice, gitUrl: string): Fields {
  return {
    resources: Array.from({ length: 3 }, () => ({
      ...forgedResource(dice),
      version: "v1",
      status: "Synced",
    })),
    ...(dice.chance(0.5)
      ? {
          operationState: {
            phase: "Running",
            startedAt: "2026-01-01T00:00:00Z",
            operation: randomOperation(dice, gitUrl),
          },
        }
      : {}),
    ...(dice.chance(0.5)
      ? {
          history: [
            {
              id: 0,
              revision: "main",
              deployedAt: "2026-01-01T00:00:00Z",
              source: { repoURL: `${gitUrl}/rival-app.git`, path: "." },
            },
          ],
        }
      : {}),
  };
}

export function forgedResource(dice: Dice): Fields {
  return {
    group: "",
    kind: dice.pick(["Secret", "ConfigMap", "Namespace"]),
    namespace: dice.pick(["rival-a", "argocd", "kube-system"]),
    name: dice.pick(names),
  };
}

export const anyNamespace = (dice: Dice): string => dice.pick(namespaces) ?? "team-a";
