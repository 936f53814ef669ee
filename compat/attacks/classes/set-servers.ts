/** What a tenant's ApplicationSet makes Capstan ask: servers of plugins, and objects that decide on clusters. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Attack, AttackWorld } from "../attack.ts";

const limit = () => AbortSignal.timeout(100_000);

function setOf(gitUrl: string, generator: object) {
  const source = { repoURL: `${gitUrl}/team-sets.git`, path: "." };
  const destination = { server: "https://kubernetes.default.svc", namespace: "team-sets" };
  return {
    metadata: { name: "sets-asking" },
    spec: {
      generators: [generator],
      template: { metadata: { name: "{{name}}" }, spec: { project: "team", source, destination } },
    },
  };
}

/** A ConfigMap of the namespace of its own name, as an application of the tenant's may deploy one. */
async function deploy({ capstan }: AttackWorld, name: string, data: Record<string, string>): Promise<void> {
  const { kube } = capstan;
  await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { signal: limit() });
  await kube.create(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: name }, data },
    { signal: limit() },
  );
}

async function preview(world: AttackWorld, generator: object): Promise<string> {
  const body = { applicationSet: setOf(world.at.gitUrl, generator) };
  const { status, body: answer } = await world.ask("alice", "POST /api/v1/applicationsets/generate", {
    body,
  });
  const text = JSON.stringify(answer);
  assert.equal(status, 400, text);
  return text;
}

export const attacks: readonly Attack[] = [
  {
    id: "set-servers/a-plugin-of-ones-own",
    threat:
      "A tenant's ApplicationSet names a ConfigMap of his as that of a plugin, whose server is inside, and whose token is Capstan's",
    heldBy: "where plugins are, ConfigMaps of Capstan's own namespace say alone, and names hold no paths",
    play: async (world) => {
      let asked = 0;
      const server = createServer((_, response) => {
        asked += 1;
        response.end('{"output":{"parameters":[{"name":"stolen"}]}}');
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      try {
        const address = server.address();
        const port = typeof address === "object" && address ? address.port : 0;
        const name = "team-plugin";
        const baseUrl = `http://127.0.0.1:${port}`;
        await deploy(world, name, { baseUrl, token: "$server.secretkey" });
        for (const map of [name, `../../${name}/configmaps/${name}`, "argocd-cm", "..", ""]) {
          const text = await preview(world, { plugin: { configMapRef: { name: map } } });
          // An empty name is none in a message of gRPC.
          assert.match(text, /there is no ConfigMap|is no name of an object|name: is required but missing/);
          await world.assertUnharmed([text]);
        }
        assert.equal(asked, 0);
      } finally {
        server.close();
      }
    },
  },
  {
    id: "set-servers/a-decision-of-other-kinds",
    threat: "A tenant's ApplicationSet reads Secrets, or another namespace, as if they decided on clusters",
    heldBy:
      "which kind decides, ConfigMaps of Capstan's own namespace say alone; only that namespace is read",
    play: async (world) => {
      const name = "team-decision";
      // An empty selector is none in a message of gRPC.
      const matchExpressions = [{ key: "nobody", operator: "DoesNotExist" }];
      const everything = { labelSelector: { matchExpressions } };
      const data = { apiVersion: "argoproj.io/v1alpha1", kind: "applications", matchKey: "name" };
      await deploy(world, name, data);
      for (const map of [name, `../../${name}/configmaps/${name}`, "argocd-cm", "argocd-secret"])
        for (const more of [{ name: "rival-app" }, everything]) {
          const generator = { clusterDecisionResource: { configMapRef: map, ...more } };
          const text = await preview(world, generator);
          assert.match(text, /there is no ConfigMap|is no name of an object/);
          await world.assertUnharmed([text]);
        }
    },
  },
];
