import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { createGitRepository, type GitRepository } from "@capstan/testkit";
import { applicationOf, fileOf, manifestsOf } from "../sample-applications.ts";
import type { Destination } from "./clusters.ts";

export interface Size {
  readonly applications: number;
  /** In each application: its ConfigMap alone, or that with a ServiceAccount, a Service and a Deployment. */
  readonly objects: 1 | 4;
  readonly repositories: number;
}

const creations = 16;

export function textOf(index: number, value: string, { objects }: Size): string {
  const documents = manifestsOf(index, value).split("\n---\n");
  return documents.slice(0, objects).join("\n---\n");
}

/** Application i lies in repository i modulo their number. */
export async function createRepositories(size: Size): Promise<readonly GitRepository[]> {
  const repositories: GitRepository[] = [];
  for (let at = 0; at < size.repositories; at += 1) {
    const files: Record<string, string> = {};
    for (let index = at; index < size.applications; index += size.repositories)
      files[fileOf(index)] = textOf(index, "first", size);
    repositories.push(await createGitRepository(files));
  }
  return repositories;
}

/** Application i is deployed to destination i modulo their number; without any, to the cluster that it lives in. */
export async function createAll(
  kube: KubeClient,
  size: Size,
  { repositories, destinations, signal }: Places & { signal: AbortSignal },
): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: creations }, async () => {
    for (let index = next++; index < size.applications; index = next++)
      await kube.create(placed(index, { repositories, destinations }), { fieldManager: "bench", signal });
  });
  await Promise.all(workers);
}

interface Places {
  readonly repositories: readonly GitRepository[];
  readonly destinations: readonly Destination[];
}

function placed(index: number, { repositories, destinations }: Places): Manifest {
  const application = applicationOf(index, repositories[index % repositories.length]?.url ?? "");
  const server = destinations[index % destinations.length]?.server;
  if (server === undefined) return application;
  const { spec } = application;
  return { ...application, spec: { ...(spec as object), destination: { server, namespace: "default" } } };
}
