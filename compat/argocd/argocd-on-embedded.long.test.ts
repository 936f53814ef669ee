/** The real Argo CD works unchanged on the embedded cluster. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { KubeClient } from "@capstan/kube";
import {
  type ApplicationSketch,
  type ApplicationView,
  createGitRepository,
  isSettled,
  lacking,
  lackingArgoCD,
  type RealArgoCD,
  readApplications,
  sketchApplication,
  startArgoCD,
  startEmbeddedCluster,
} from "@capstan/testkit";

const corpus = join(import.meta.dirname, "..", "..", "..", "shared", "corpus");
const limitMs = 110_000;

interface Example extends Omit<ApplicationSketch, "repoURL" | "name"> {
  repository: "argocd-example-apps" | "kubernetes-coffee-image";
}

const examples: Readonly<Record<string, Example>> = {
  guestbook: { repository: "argocd-example-apps", path: "guestbook" },
  "jsonnet-guestbook": { repository: "argocd-example-apps", path: "jsonnet-guestbook" },
  "kustomize-guestbook": { repository: "argocd-example-apps", path: "kustomize-guestbook" },
  "sync-waves": { repository: "argocd-example-apps", path: "sync-waves" },
  "pre-post-sync": { repository: "argocd-example-apps", path: "pre-post-sync" },
  "helm-hooks": { repository: "argocd-example-apps", path: "helm-hooks" },
  "sock-shop": { repository: "argocd-example-apps", path: "sock-shop" },
  "micro-service": { repository: "kubernetes-coffee-image", path: "micro-service/manifests" },
  "evil-ns": { repository: "kubernetes-coffee-image", path: "evil-tea/kustomize" },
};

const helmExamples: Readonly<Record<string, Example>> = {
  "helm-guestbook": { repository: "argocd-example-apps", path: "helm-guestbook" },
  "simple-app": {
    repository: "kubernetes-coffee-image",
    path: "simple/chart",
    source: { helm: { parameters: [{ name: "service.type", value: "LoadBalancer" }] } },
  },
};

function lackingCorpus(): string | false {
  return existsSync(corpus) ? false : "the corpus of public applications is not beside this checkout";
}

/** Waits until every Application is Synced and Healthy; a failure says what each one is, and what Argo CD logged. */
async function untilAllSettled(kube: KubeClient, argo: RealArgoCD, count: number): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  let last: readonly ApplicationView[] = [];
  while (!signal.aborted) {
    last = await readApplications(kube, AbortSignal.timeout(100_000));
    if (last.length === count && last.every(isSettled)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const open = last.filter((one) => !isSettled(one));
  const log = argo.output("argocd-application-controller").slice(-4_000);
  assert.fail(`not Synced and Healthy: ${JSON.stringify(open, undefined, 2)}\n${log}`);
}

test("applications of public repositories reach Synced and Healthy", {
  skip: lackingArgoCD() || lackingCorpus() || lacking("kustomize"),
}, async () => {
  await using cluster = await startEmbeddedCluster();
  await using argo = await startArgoCD(cluster);
  await using repository = await createGitRepository();
  await cp(corpus, repository.dir, { recursive: true });
  await repository.commit({}, "public applications");
  const withHelm = !lacking("helm3") || !lacking("helm4");
  const chosen = Object.entries({ ...examples, ...(withHelm ? helmExamples : {}) });
  const signal = AbortSignal.timeout(limitMs);
  for (const [name, { repository: folder, path = ".", ...sketch }] of chosen) {
    const application = sketchApplication({
      ...sketch,
      name,
      repoURL: repository.url,
      path: `${folder}/${path}`,
    });
    await cluster.kube.create(application, { fieldManager: "test", signal });
  }
  await untilAllSettled(cluster.kube, argo, chosen.length);
});
