/** What a tenant's ApplicationSet asks of hosts of repositories, with whose credentials, and where. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";

const apiVersion = "argoproj.io/v1alpha1";
const namespace = "argocd";
const type = "argocd.argoproj.io/secret-type";
const forHosts = { [type]: "scm-creds" };
const limit = () => AbortSignal.timeout(100_000);

function setOf(gitUrl: string, name: string, generator: object) {
  const source = { repoURL: `${gitUrl}/team-sets.git`, path: "." };
  const destination = { server: "https://kubernetes.default.svc", namespace: "team-sets" };
  return {
    metadata: { name, namespace },
    spec: {
      generators: [generator],
      template: { metadata: { name: "{{repository}}" }, spec: { project: "team", source, destination } },
    },
  };
}

async function secret(
  { capstan }: AttackWorld,
  name: string,
  { labels = forHosts, ...stringData }: { labels?: Record<string, string>; [key: string]: unknown },
): Promise<void> {
  await capstan.kube.create(
    { apiVersion: "v1", kind: "Secret", metadata: { name, namespace, labels }, stringData },
    { signal: limit() },
  );
}

/** Plays with a server inside that counts who asks it, and must be asked by nobody. */
async function withServer(play: (url: string) => Promise<void>): Promise<void> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ""}`);
    response.end("[]");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const address = server.address();
    await play(`http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`);
    assert.deepEqual(asked, []);
  } finally {
    server.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    id: "set-hosts/others-credentials",
    threat:
      "A tenant's ApplicationSet sends another team's token, Capstan's own key or another project's GitHub App to a server of his, or uses them at a public one",
    heldBy:
      "through the API, only who may create sets of every project names addresses that are not listed, Secrets that are not labelled for hosts and Apps of no project",
    play: async (world) => {
      await secret(world, "hosts-token", { token: "canary" });
      await secret(world, "hosts-plain", { labels: {}, token: "canary" });
      const app = { url: "https://github.com/rival", githubAppID: "1", githubAppInstallationID: "2" };
      const labels = { [type]: "repo-creds" };
      await secret(world, "hosts-app", { labels, ...app, project: "rival", githubAppPrivateKey: "canary" });
      await withServer(async (api) => {
        const tokenOf = (secretName: string, key = "token") => ({ tokenRef: { secretName, key } });
        const github = (more: object) => ({ scmProvider: { github: { organization: "acme", ...more } } });
        const bearerToken = tokenOf("hosts-plain");
        const tries: object[] = [
          github({ api, ...tokenOf("hosts-token") }),
          github({ api: "{{api}}", ...tokenOf("hosts-token") }),
          github(tokenOf("argocd-secret", "server.secretkey")),
          github(tokenOf("hosts-plain")),
          github({ appSecretName: "hosts-app" }),
          { pullRequest: { bitbucket: { owner: "acme", repo: "web", bearerToken } } },
          { pullRequest: { gitlab: { project: "1", api, ...tokenOf("hosts-token") } } },
          {
            matrix: {
              generators: [{ list: { elements: [{ s: "hosts-plain" }] } }, github(tokenOf("{{s}}"))],
            },
          },
        ];
        for (const generator of tries) {
          const body = { applicationSet: setOf(world.at.gitUrl, "sets-hosts", generator) };
          const { status, body: answer } = await world.ask("alice", "POST /api/v1/applicationsets/generate", {
            body,
          });
          const text = JSON.stringify(answer);
          assert.equal(status, 400, text);
          assert.match(text, /only who may create ApplicationSets of every project/);
          await world.assertUnharmed([text]);
        }
      });
    },
  },
  {
    id: "set-hosts/an-address-inside",
    threat:
      "An ApplicationSet that an application of a tenant's has put into Capstan's namespace makes Capstan ask a server on its own machine, with Secrets of that namespace",
    heldBy: "addresses that nobody lists lead to no inner one; Capstan's own Secrets are no credentials",
    play: async (world) => {
      await secret(world, "hosts-inside", { token: "canary" });
      await withServer(async (api) => {
        const tokenRef = { secretName: "hosts-inside", key: "token" };
        const own = { secretName: "argocd-secret", key: "server.secretkey" };
        const tries: [string, object, RegExp][] = [
          ["sets-inside", { api, tokenRef }, /an address of this machine/],
          [
            "sets-inside-name",
            { api: api.replace("127.0.0.1", "localhost"), tokenRef },
            /an address of this machine/,
          ],
          ["sets-inside-own", { tokenRef: own }, /holds no credentials for hosts/],
        ];
        for (const [name, more, says] of tries) {
          const github = { organization: "acme", ...more };
          const set = setOf(world.at.gitUrl, name, { scmProvider: { github } });
          const { kube } = world.capstan;
          await kube.create({ apiVersion, kind: "ApplicationSet", ...set }, { signal: limit() });
          let last = "";
          const said = await eventually(
            async () => {
              const found = await kube.get({ apiVersion, kind: "ApplicationSet", namespace, name }, limit());
              last = JSON.stringify(isRecord(found?.status) ? found.status : {});
              return says.test(last) ? last : undefined;
            },
            { signal: limit(), describe: () => `the set says ${last}` },
          );
          await world.assertUnharmed([said]);
        }
      });
    },
  },
];
