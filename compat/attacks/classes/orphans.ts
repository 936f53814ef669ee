/** What a tenant reaches through the list of objects that no application has. */
import assert from "node:assert/strict";
import { sketchApplication, untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";

const limit = () => AbortSignal.timeout(100_000);
const server = "https://kubernetes.default.svc";
const watched = "the project's rules are asked about each orphan, and what an application has is no orphan";

/** An Application of project team's, written past the API's checks, as soon as it was looked at. */
async function place(
  world: AttackWorld,
  name: string,
  { namespace, syncPolicy }: { namespace: string; syncPolicy?: object },
): Promise<void> {
  const repository = await world.git.createRepository(`team-${name}`, {
    "app/own.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`,
  });
  const destination = { server, namespace };
  const app = sketchApplication({
    name,
    repoURL: repository.url,
    path: "app",
    project: "team",
    destination,
    ...(syncPolicy ? { syncPolicy: { ...syncPolicy } } : {}),
  });
  await world.capstan.kube.create(app, { signal: limit() });
  await untilApplication(
    world.capstan.kube,
    name,
    ({ sync, conditions }) => sync === (syncPolicy ? "OutOfSync" : "Synced") || conditions.length > 0,
  );
}

const resource = (
  app: string,
  { kind, namespace, name }: { kind: string; namespace: string; name: string },
) =>
  `/api/v1/applications/${app}/resource?version=v1&kind=${kind}&namespace=${namespace}&resourceName=${name}`;

export const attacks: readonly Attack[] = [
  {
    id: "orphans/of-another-namespace",
    threat:
      "An Application that names a foreign namespace as its destination lists, reads or deletes what lies there",
    heldBy: watched,
    async play(world) {
      const app = "orphans-elsewhere";
      await place(world, app, { namespace: "rival-a" });
      const seen = [await world.ask("alice", `GET /api/v1/applications/${app}/resource-tree`)];
      assert.doesNotMatch(JSON.stringify(seen), /treasure|plans/);
      for (const [kind, name] of [
        ["Secret", "treasure"],
        ["ConfigMap", "plans"],
      ] as const)
        for (const method of ["GET", "DELETE"]) {
          const object = { kind, name, namespace: "rival-a" };
          const answer = await world.ask("alice", `${method} ${resource(app, object)}`);
          assert.notEqual(answer.status, 200, `${method} ${name}`);
          seen.push(answer);
          const ref = { apiVersion: "v1", ...object };
          assert.ok(await world.capstan.kube.get(ref, limit()), `${name} is gone`);
        }
      const view = await untilApplication(world.capstan.kube, app, () => true);
      assert.ok(!view.conditions.some(({ type }) => type === "OrphanedResourceWarning"));
      await world.assertUnharmed([JSON.stringify(seen), JSON.stringify(view)]);
    },
  },
  {
    id: "orphans/of-another-application",
    threat:
      "Who shares a namespace with others reads or deletes through his application what theirs have there",
    heldBy: watched,
    async play(world) {
      const { kube } = world.capstan;
      const namespace = "team-orphans-shared";
      await place(world, "orphans-mine", { namespace });
      const free = { kind: "ConfigMap", namespace, name: "free" };
      const theirs = { kind: "ConfigMap", namespace, name: "theirs" };
      const tracking = `orphans-theirs:/ConfigMap:${namespace}/theirs`;
      const annotations = { "argocd.argoproj.io/tracking-id": tracking };
      // Without automation: it would prune what git does not have.
      await place(world, "orphans-theirs", { namespace: "team-orphans-other", syncPolicy: {} });
      await kube.create(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "theirs", namespace, annotations } },
        { signal: limit() },
      );
      await kube.create(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "free", namespace } },
        { signal: limit() },
      );
      await untilApplication(kube, "orphans-mine", ({ conditions }) =>
        conditions.some(({ message }) => message === "Application has 1 orphaned resources"),
      );
      const app = "orphans-mine";
      const tree = await world.ask("alice", `GET /api/v1/applications/${app}/resource-tree`);
      assert.match(JSON.stringify(tree.body), /"free"/);
      assert.doesNotMatch(JSON.stringify(tree.body), /"theirs"/);
      for (const method of ["GET", "DELETE"]) {
        const refused = await world.ask("alice", `${method} ${resource(app, theirs)}`);
        assert.equal(refused.status, 404, method);
      }
      const forbidden = await world.ask("carol", `DELETE ${resource(app, free)}`);
      assert.equal(forbidden.status, 403, "who may only see the application deletes no orphan");
      const stranger = await world.ask("bob", `GET /api/v1/applications/${app}/resource-tree`);
      assert.notEqual(stranger.status, 200);
      for (const one of [free, theirs]) assert.ok(await kube.get({ apiVersion: "v1", ...one }, limit()));
      await world.assertUnharmed([JSON.stringify([tree, forbidden, stranger])]);
    },
  },
];
