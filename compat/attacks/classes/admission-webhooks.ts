/** Admission webhooks that the embedded cluster calls: addresses that strangers write. */
import assert from "node:assert/strict";
import { countingListener } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { deploys } from "../deploy.ts";

const limit = (): AbortSignal => AbortSignal.timeout(60_000);

const configuration = (name: string, url: string, namespace: string): string =>
  JSON.stringify({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url },
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });

/** Written by whoever may: an application of a project that permits the kind. Tells what a change is refused with. */
async function refusalBy({ capstan }: AttackWorld, name: string, url: string): Promise<string> {
  const { kube } = capstan;
  const signal = limit();
  await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { signal });
  await kube.create(JSON.parse(configuration(name, url, name)), { signal });
  try {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "probe", namespace: name } };
    return await kube.create(object, { signal }).then(
      () => "created",
      (error: unknown) => String(error),
    );
  } finally {
    const apiVersion = "admissionregistration.k8s.io/v1";
    await kube.delete({ apiVersion, kind: "ValidatingWebhookConfiguration", name }, { signal });
  }
}

export const attacks: readonly Attack[] = [
  {
    id: "admission-webhooks/written-by-a-tenant",
    threat: "An application brings an admission webhook, which would see every object of every tenant",
    heldBy: "the project's clusterResourceWhitelist decides on cluster-scoped kinds",
    play: deploys("admission-hook", {
      files: () => ({ "app/hook.yaml": configuration("admission-hook", "https://evil.example/", "rival-a") }),
      ends: { refused: /ValidatingWebhookConfiguration is not permitted in project team/ },
    }),
  },
  {
    id: "admission-webhooks/a-server-of-this-machine",
    threat: "The address of an admission webhook leads to a server of the machine on which Capstan runs",
    heldBy:
      "loopback, link-local and metadata addresses are refused by name and by address; the loopback is called only with a caBundle, which such a server's certificate is not of",
    play: async (world) => {
      using server = await countingListener();
      const told = await refusalBy(world, "hook-to-loopback", `https://127.0.0.1:${server.port}/x`);
      assert.match(told, /an address of this machine or of its surroundings alone/);
      assert.equal(server.connections(), 0);
      await world.assertUnharmed([told]);
    },
  },
  {
    id: "admission-webhooks/the-metadata-service",
    threat: "The address of an admission webhook is a cloud's metadata service",
    heldBy: "loopback, link-local and metadata addresses are refused by name and by address",
    play: async (world) => {
      const told = await refusalBy(world, "hook-to-metadata", "https://169.254.169.254/latest/meta-data/");
      assert.match(told, /an address of this machine or of its surroundings alone/);
      await world.assertUnharmed([told]);
    },
  },
];
