/** What is kept of operations. */
import assert from "node:assert/strict";
import { sketchApplication, untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";
import { tellsNothing } from "./accounts.ts";

/** What is kept of operations: the list of them, and each object that they changed. */
async function shownOperations(world: AttackWorld, name: string, secrets: readonly string[]): Promise<void> {
  const base = `/api/v1/applications/${name}/operations`;
  const list = await world.ask("carol", `GET ${base}`);
  const texts = [JSON.stringify(list.body)];
  const { items = [] } = Object(list.body);
  let kept = 0;
  for (const { id, changes } of items)
    for (const { group, kind, namespace, name: resourceName } of changes) {
      const query = new URLSearchParams({ group, kind, namespace, resourceName });
      const { body } = await world.ask("carol", `GET ${base}/${id}/object?${query}`);
      if (kind === "Secret" && Object(body).after !== undefined) kept++;
      texts.push(JSON.stringify(body));
    }
  assert.ok(kept > 0, "the Secret's operation is kept");
  for (const text of texts)
    for (const secret of secrets)
      assert.ok(!text.includes(secret), `an operation shows the Secret's value: ${text}`);
}

const value = "the-value-of-a-kept-secret";

async function shownSecret(world: AttackWorld): Promise<void> {
  const name = "kept-secret";
  await deploys(name, {
    files: () => ({
      "app/secret.yaml": `apiVersion: v1\nkind: Secret\nmetadata:\n  name: own\nstringData:\n  value: ${value}\n`,
    }),
    ends: { harmless: true },
  })(world);
  await shownOperations(world, name, [value, Buffer.from(value).toString("base64")]);
}

/** More than are looked at at once. */
const tireless = Array.from({ length: 24 }, (_, at) => `retried-${at}`);

/** Operations that fail at once and are begun anew a millisecond later, without end, and an ordinary application. */
async function retriedWithoutPause(world: AttackWorld): Promise<void> {
  const broken = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: refused\ndata:\n  not a key: x\n";
  const { url: repoURL } = await world.git.createRepository("team-retried", { "app/a.yaml": broken });
  const made = tireless.map((name) =>
    sketchApplication({
      name,
      repoURL,
      path: "app",
      project: "team",
      destination: { server: "https://kubernetes.default.svc", namespace: `team-${name}` },
      syncPolicy: {
        automated: {},
        syncOptions: ["CreateNamespace=true"],
        retry: { limit: -1, backoff: { duration: "1ms", factor: 1, maxDuration: "1ms" } },
      },
    }),
  );
  for (const body of made) {
    const { status, body: said } = await world.ask("alice", "POST /api/v1/applications", { body });
    assert.equal(status, 200, JSON.stringify(said));
  }
  await untilApplication(world.capstan.kube, "retried-0", ({ message }) => /retr/i.test(message));
  await deploys("beside-retried", {
    files: () => ({ "app/a.yaml": fineConfigMap }),
    ends: { harmless: true },
  })(world);
  for (const name of tireless) await world.ask("alice", `DELETE /api/v1/applications/${name}?cascade=false`);
}

export const attacks: readonly Attack[] = [
  {
    id: "operations/retries-without-a-pause",
    slow: true,
    threat:
      "Operations of many applications of a tenant fail and are tried again without a pause: they go first, and nobody else is looked at",
    heldBy:
      "what goes first takes turns with the others, and an application that is worked on without a pause is held back",
    play: retriedWithoutPause,
  },
  {
    id: "operations/foreign-operations",
    threat: "An account asks what operations of a foreign application changed, by numbers that it guesses",
    heldBy:
      "the same refusal as for an application that is not there; records are read by the very application",
    play: tellsNothing("bob", [
      "/api/v1/applications/which-exist/operations/1/object?kind=Secret&resourceName=own",
      "/api/v1/applications/which-absent/operations/1/object?kind=Secret&resourceName=own",
    ]),
  },
  {
    id: "operations/a-secret-that-was-changed",
    threat:
      "An account that may see an application reads the values of its Secrets in what operations changed",
    heldBy: "masked before anything is kept",
    play: shownSecret,
  },
  {
    id: "operations/a-hook-that-the-cluster-makes-again",
    threat:
      "A hook that is deleted before each sync is the ServiceAccount that the cluster makes again at once",
    heldBy: "what others made since the sync began is applied over, not deleted again and again",
    play: async (world) => {
      await deploys("hook-made-again", {
        files: () => ({ "app/a.yaml": fineConfigMap, "app/hook.yaml": accountHook }),
        ends: { harmless: true },
      })(world);
      await untilApplication(world.capstan.kube, "hook-made-again", ({ phase }) => phase === "Succeeded");
    },
  },
];

const accountHook = `apiVersion: v1
kind: ServiceAccount
metadata:
  name: default
  annotations: {argocd.argoproj.io/hook: PostSync, argocd.argoproj.io/hook-delete-policy: BeforeHookCreation}
`;
