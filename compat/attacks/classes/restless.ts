/** Objects whose status never rests, where the end of a sync waits a moment for what becomes of what it made. */
import assert from "node:assert/strict";
import { type HostedRepository, sketchApplication, untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";

const group = "cert-manager.io";
const certificate = { apiVersion: `${group}/v1`, kind: "Certificate" };
const anyFields = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** Of a kind that is on its way as long as its status does not say that it is ready. */
const certificates = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `certificates.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "certificates", singular: "certificate", kind: "Certificate" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: anyFields, status: anyFields } } },
      },
    ],
  },
};

/** More than are worked on at once. */
const restless = Array.from({ length: 24 }, (_, at) => `restless-${at}`);
const commits = 5;
const limitMs = 200_000;

const filesOf = (commit: number) => ({
  "app/certificate.json": JSON.stringify({ ...certificate, metadata: { name: "own" }, spec: { commit } }),
});

/** The tenant's own controller, which is never done with any of them; how often it wrote. */
async function keepWriting(world: AttackWorld, until: AbortSignal): Promise<number> {
  const { kube } = world.capstan;
  const signal = AbortSignal.timeout(limitMs);
  let writes = 0;
  while (!until.aborted) {
    const body = { status: { writes: String(writes), conditions: [{ type: "Issuing", status: "True" }] } };
    const write = (name: string) =>
      kube.patch(
        { ...certificate, namespace: `team-${name}`, name: "own" },
        { type: "merge", body },
        { signal, subresource: "status" },
      );
    await Promise.all(restless.map(write));
    writes += restless.length;
  }
  return writes;
}

interface Created {
  readonly who: "alice" | "bob";
  readonly project: "team" | "rival";
  readonly name: string;
}

async function create(world: AttackWorld, repository: HostedRepository, { who, project, name }: Created) {
  const body = sketchApplication({
    name,
    repoURL: repository.url,
    path: "app",
    project,
    destination: { server: "https://kubernetes.default.svc", namespace: `${project}-${name}` },
    syncPolicy: { automated: {}, syncOptions: ["CreateNamespace=true"] },
  });
  const { status, body: said } = await world.ask(who, "POST /api/v1/applications", { body });
  assert.equal(status, 200, JSON.stringify(said));
}

/** Of the other project: it begins while all of these are synced. */
async function createBeside(world: AttackWorld, commit: number): Promise<void> {
  const name = `beside-restless-${commit}`;
  const repository = await world.git.createRepository(`rival-${name}`, { "app/a.yaml": fineConfigMap });
  await create(world, repository, { who: "bob", project: "rival", name });
  await untilApplication(world.capstan.kube, name, ({ phase }) => phase === "Succeeded");
}

/** Every application is synced again and again, and none of its objects is ever well; another tenant's goes on. */
async function statusWithoutRest(world: AttackWorld): Promise<void> {
  const { kube } = world.capstan;
  const operator = { fieldManager: "operator", force: true, signal: AbortSignal.timeout(limitMs) };
  await kube.apply(certificates, operator);
  const repository = await world.git.createRepository("team-restless");
  const first = await repository.commit(filesOf(0));
  for (const name of restless) await create(world, repository, { who: "alice", project: "team", name });
  const isSyncedAt = (revision: string) => (view: { sync: string; revision: string; phase: string }) =>
    view.sync === "Synced" && view.phase === "Succeeded" && view.revision === revision;
  const untilAllAt = async (revision: string) => {
    for (const name of restless) await untilApplication(kube, name, { isSo: isSyncedAt(revision), limitMs });
  };
  await untilAllAt(first);
  const stop = new AbortController();
  const writing = keepWriting(world, stop.signal);
  try {
    for (let commit = 1; commit <= commits; commit++) {
      const revision = await repository.commit(filesOf(commit));
      const asked = restless.map((name) =>
        world.ask("alice", `GET /api/v1/applications/${name}?refresh=normal`),
      );
      const beside = createBeside(world, commit);
      await Promise.all([...asked, beside]);
      await untilAllAt(revision);
    }
  } finally {
    stop.abort();
    await Promise.allSettled([writing]);
  }
  assert.ok((await writing) > 0);
  const { health } = await untilApplication(kube, "restless-0", ({ sync }) => sync === "Synced");
  assert.equal(health, "Progressing", "its object was never well");
  for (const name of restless) await world.ask("alice", `DELETE /api/v1/applications/${name}?cascade=false`);
}

export const attacks: readonly Attack[] = [
  {
    id: "restless/statuses-while-a-sync-ends",
    slow: true,
    threat:
      "A tenant's controller writes the statuses of what many applications made without a pause, so that each end of a sync has something to wait for and to compare again, and nobody else's turn comes",
    heldBy:
      "a sync waits a tenth of a second in all for what becomes of its objects, compares at most once in twenty milliseconds, and an application that is worked on without a pause is held back",
    play: statusWithoutRest,
  },
];
