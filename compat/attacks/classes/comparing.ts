/** Applications that have the server asked, by a dry run for each object, how they compare. */
import assert from "node:assert/strict";
import { type HostedRepository, untilApplication } from "@capstan/testkit";
import { startWebhookServer, type WebhookServer } from "../../kube-api/webhook-server.ts";
import type { Attack, AttackWorld } from "../attack.ts";
import { deploys } from "../deploy.ts";

const limit = (): AbortSignal => AbortSignal.timeout(100_000);
const byServer = { annotations: { "argocd.argoproj.io/compare-options": "ServerSideDiff=true" } };
const map = (name: string, more: object = {}, metadata: object = {}): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...more });
const apiVersion = "admissionregistration.k8s.io/v1";
/** It is asked before an object is found valid. */
const kind = "MutatingWebhookConfiguration";

/** Sees every write of a ConfigMap of a namespace, dry runs among them. */
async function watched(
  { capstan: { kube } }: AttackWorld,
  namespace: string,
  play: (dryRuns: () => number) => Promise<void>,
): Promise<void> {
  await using server = await startWebhookServer();
  await kube.create(configuration(namespace, server), { signal: limit() });
  try {
    await play(() => server.callsOf("attacks", namespace).filter(isDryRun).length);
  } finally {
    await kube.delete({ apiVersion, kind, name: namespace }, { signal: limit() });
  }
}

function configuration(namespace: string, { url, ca }: WebhookServer) {
  return {
    apiVersion,
    kind,
    metadata: { name: namespace },
    webhooks: [
      {
        name: `${namespace}.example.com`,
        clientConfig: { url: `${url}/attacks/${namespace}/allow`, caBundle: ca },
        rules: [
          {
            operations: ["CREATE", "UPDATE"],
            apiGroups: [""],
            apiVersions: ["v1"],
            resources: ["configmaps"],
          },
        ],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
}

function isDryRun(call: unknown): boolean {
  return Object(Object(Object(call).review).request).dryRun === true;
}

/** Looks at it in every way that an account which may only read it has. */
async function look(world: AttackWorld, name: string): Promise<string> {
  const views = ["?refresh=normal", "/managed-resources", "/manifests", "/resource-tree"];
  const seen = [];
  for (const view of views) seen.push(await world.ask("carol", `GET /api/v1/applications/${name}${view}`));
  return JSON.stringify(seen.map(({ body }) => body));
}

const maps = Object.fromEntries(["a", "b", "c"].map((name) => [`app/${name}.yaml`, map(name)]));

export const attacks: readonly Attack[] = [
  {
    id: "comparing/what-a-project-forbids",
    threat: "An Application has the server say how objects of another project's namespace would change",
    heldBy:
      "what the project forbids is not there for a comparison, and each dry run needs a permit for its object",
    play: async (world) =>
      watched(world, "rival-a", async (dryRuns) => {
        await deploys("compared-elsewhere", {
          files: () => ({
            "app/plans.yaml": map("plans", { data: { mine: "1" } }, { namespace: "rival-a" }),
          }),
          application: () => ({ metadata: byServer }),
          ends: { refused: /rival-a.*(not permitted|do not match)|not permitted.*rival-a/ },
        })(world);
        await world.assertUnharmed([await look(world, "compared-elsewhere")]);
        assert.equal(dryRuns(), 0);
      }),
  },
  {
    id: "comparing/a-dry-run-for-each-look",
    slow: true,
    threat:
      "Somebody who may only read an Application has its objects dry-run over and over by looking at it",
    heldBy: "a server's answer is kept for an object's version and what git says of it, whoever asks",
    play: async (world) => {
      const name = "compared-often";
      const settings = { metadata: byServer };
      await deploys(name, { files: () => maps, application: () => settings, ends: { harmless: true } })(
        world,
      );
      await look(world, name);
      await watched(world, `team-${name}`, async (dryRuns) => {
        for (let looks = 0; looks < 10; looks += 1) await world.assertUnharmed([await look(world, name)]);
        assert.equal(dryRuns(), 0);
      });
    },
  },
  {
    id: "comparing/refused-again-and-again",
    slow: true,
    threat: "What the server refuses is asked for anew with each look at an Application",
    heldBy: "a refused dry run is repeated after a while, the longer the more often nobody asked for it",
    play: async (world) => {
      const name = "compared-in-vain";
      const file = (value: string) => map("fixed", { data: { value }, immutable: true });
      let repository: HostedRepository | undefined;
      await deploys(name, {
        files: () => ({ "app/fixed.yaml": file("1") }),
        async prepare(made) {
          repository = made;
        },
        application: () => ({ metadata: byServer }),
        ends: { harmless: true },
      })(world);
      const begun = performance.now();
      await watched(world, `team-${name}`, async (dryRuns) => {
        await repository?.commit({ "app/fixed.yaml": file("2") });
        await world.ask("carol", `GET /api/v1/applications/${name}?refresh=normal`);
        const isTold = ({ type }: { type: string }) => type === "ComparisonError";
        await untilApplication(world.capstan.kube, name, ({ conditions }) => conditions.some(isTold));
        for (let looks = 0; looks < 10; looks += 1) await world.assertUnharmed([await look(world, name)]);
        const mostAsked = 2 + Math.floor((performance.now() - begun) / 10_000);
        assert.ok(dryRuns() <= mostAsked, `${dryRuns()} dry runs`);
      });
    },
  },
];
