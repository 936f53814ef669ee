/** What an ApplicationSet makes, asked of the real Argo CD and of Capstan. */
import assert from "node:assert/strict";
import { isRecord } from "@capstan/formats";
import { HostCalls } from "@capstan/git-hosts";
import { isApplicationSet, type Manifest } from "@capstan/model";
import { generateSet } from "@capstan/planning";
import { type RealArgoCD, realClock, sketchProject } from "@capstan/testkit";
import type { SmallWorld } from "@capstan/testkit/worlds";

/** What of Argo CD makes the Applications of a set that it is shown. */
export const generatingParts = ["redis-server", "argocd-repo-server", "argocd-server"] as const;

const limit = () => AbortSignal.timeout(100_000);

/** A set of one template, whose Applications differ in name and path alone. `more` is the rest of its spec. */
export function sketchSet(
  { name, path, labels }: { name: string; path: string; labels?: unknown },
  more: object,
): Manifest {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "set", namespace: "argocd" },
    spec: {
      template: {
        metadata: { name, ...(labels ? { labels } : {}) },
        spec: {
          project: "default",
          source: { repoURL: "https://git.example/x", path },
          destination: { name: "in-cluster", namespace: "x" },
        },
      },
      ...more,
    },
  };
}

/** Nothing where it fails. */
export async function generatedByReal(
  argo: RealArgoCD,
  applicationSet: Manifest,
): Promise<readonly unknown[] | undefined> {
  const answer = await fetch(`${argo.url}/api/v1/applicationsets/generate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ applicationSet }),
    signal: limit(),
  });
  const body: unknown = await answer.json();
  if (!answer.ok || !isRecord(body)) return undefined;
  return Array.isArray(body.applications) ? body.applications : [];
}

/** Nothing where it fails. */
export async function generatedByOurs(
  { repo, kube, settings }: SmallWorld,
  set: Manifest,
): Promise<readonly unknown[] | undefined> {
  assert.ok(isApplicationSet(set));
  const findProject = () => sketchProject("default");
  const hosts = new HostCalls(realClock);
  const needs = { repo, kube, hosts, settings, clock: realClock, controlNamespace: "argocd", findProject };
  const made = await generateSet(needs, { set }, limit());
  return made.kind === "made" ? made.applications.map(({ application }) => application) : undefined;
}
