/** Whose password, key or secret goes where: templates, repositories, clusters, folders of the machine, secret stores. */
import assert from "node:assert/strict";
import { sketchApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { deploys } from "../deploy.ts";
import { withServer } from "../own-server.ts";
import { asks } from "../request.ts";

const repository = (url: string): string => `/api/v1/repositories/${encodeURIComponent(url)}`;
const placeholder = (store: string, path: string) => ({
  files: () => ({
    "app/secret.yaml": `apiVersion: v1\nkind: Secret\nmetadata:\n  name: filled\nstringData:\n  value: <path:${path}>\n`,
    "app/capstan.yaml":
      "apiVersion: capstan.dev/v1alpha1\nkind: Pipeline\nmetadata: {name: filled}\nspec: {stages: [{plugin: directory}, {plugin: vault}]}\n",
  }),
  source: () => ({ plugin: { env: [{ name: "AVP_TYPE", value: store }] } }),
  ends: { refused: /may not use secret store/ },
});

/** Listens while something is tried; what it was sent as Authorization must be nothing. */
async function withThief(world: AttackWorld, work: (url: string) => Promise<void>): Promise<void> {
  const seen: (string | undefined)[] = [];
  await withServer((request, response) => {
    seen.push(request.headers.authorization ?? request.headers["proxy-authorization"]);
    response.writeHead(401, { "www-authenticate": "Basic realm=git" }).end();
  }, work);
  assert.deepEqual(
    seen.filter((one) => one !== undefined),
    [],
  );
  await world.assertUnharmed([]);
}

async function defineOwnClusterAnew(world: AttackWorld): Promise<void> {
  const server = "https://kubernetes.default.svc";
  const name = "rival-own";
  const application = sketchApplication({
    name,
    repoURL: `${world.at.gitUrl}/rival-app.git`,
    path: ".",
    project: "rival",
    destination: { server, namespace: "rival-a" },
    // It goes there, and puts nothing there: other attacks look at what is rival's.
    syncPolicy: {},
  });
  const used = await world.ask("admin", "POST /api/v1/applications", { body: application });
  assert.equal(used.status, 200, JSON.stringify(used.body));
  const define = (more: object) =>
    world.ask("alice", "POST /api/v1/clusters?upsert=true", {
      body: { server, name: "mine", project: "team", ...more },
    });
  const asked = [await define({})];
  const deleted = await world.ask("admin", `DELETE /api/v1/applications/${name}?cascade=false`);
  assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
  for (const more of [
    {},
    { namespaces: ["team-a"] },
    { config: { bearerToken: "mine" } },
    { config: { proxyUrl: world.at.url, tlsClientConfig: { insecure: true } } },
  ])
    asked.push(await define(more));
  for (const { status, body } of asked) assert.equal(status, 403, JSON.stringify(body));
  await world.assertUnharmed(asked.map(({ body }) => JSON.stringify(body)));
}

async function addTemplate(world: AttackWorld, url: string): Promise<void> {
  const creds = { url, username: "all", password: "the template's password" };
  const made = await world.ask("admin", "POST /api/v1/repocreds?upsert=true", { body: creds });
  assert.equal(made.status, 200, JSON.stringify(made.body));
}

async function templateWithoutPort(world: AttackWorld): Promise<void> {
  await withThief(world, async (url) => {
    await addTemplate(world, "http://127.0.0.1/");
    const repo = `${url}/team/app`;
    const body = { repo, project: "team", username: "", password: "" };
    await world.ask("alice", "POST /api/v1/repositories?upsert=true", { body });
    await world.ask("alice", `GET ${repository(repo)}?appProject=team&forceRefresh=true`);
    await world.ask("admin", `GET ${repository(repo)}/refs`);
  });
}

async function proxyOfTenant(world: AttackWorld): Promise<void> {
  await withThief(world, async (proxy) => {
    await addTemplate(world, world.at.gitUrl);
    const repo = `${world.at.gitUrl}/team-inherits.git`;
    for (const more of [{ proxy }, { insecure: true }, { forceHttpBasicAuth: true }]) {
      const body = { repo, project: "team", ...more };
      const lines = ["POST /api/v1/repositories?upsert=true", `PUT ${repository(repo)}`];
      for (const line of lines) {
        const answer = await world.ask("alice", line, { body });
        assert.ok(answer.status >= 400, `${line} ${JSON.stringify(more)} answered ${answer.status}`);
      }
    }
    await world.ask("admin", `DELETE /api/v1/repocreds/${encodeURIComponent(world.at.gitUrl)}`);
  });
}

export const attacks: readonly Attack[] = [
  {
    id: "credentials/template-of-another-port",
    threat: "A repository at an address that only begins like a template's asks for its password",
    heldBy: "templates that fit whole addresses: scheme, user, host, port and parts of the path",
    play: templateWithoutPort,
  },
  {
    id: "credentials/proxy-on-inherited-password",
    threat: "A tenant sets a proxy, or drops TLS, on a repository whose password is a template's",
    heldBy: "repositories of projects that steer get no template's credentials, and are refused",
    play: proxyOfTenant,
  },
  {
    id: "credentials/repository-without-project",
    threat: "A tenant changes a repository so that it belongs to all projects, or to another",
    heldBy: "the right is asked on what is stored and on what it becomes",
    play: asks({
      who: "alice",
      method: "PUT",
      path: ({ gitUrl }) => repository(`${gitUrl}/rival-app.git`),
      body: ({ gitUrl }) => ({ repo: `${gitUrl}/rival-app.git`, password: "mine" }),
      status: [403],
    }),
  },
  {
    id: "credentials/repository-into-own-project",
    threat: "A tenant moves another project's repository, with its password, into his own",
    heldBy: "the right is asked on what is stored; what he may not change is not there for him",
    play: asks({
      who: "alice",
      method: "PUT",
      path: ({ gitUrl }) => repository(`${gitUrl}/rival-app.git`),
      body: ({ gitUrl }) => ({ repo: `${gitUrl}/rival-app.git`, project: "team" }),
      status: [403, 404],
    }),
  },
  {
    id: "credentials/secret-of-another-project",
    threat:
      "A tenant's repository has the address that, written with its project's name, is another's: both would have one Secret",
    heldBy: "names of Secrets keep address and project apart, by a digest that nobody can aim at",
    play: async (world) => {
      await world.git.createRepository("collides-team", { "README.md": "of all\n" });
      const url = `${world.at.gitUrl}/collides-`;
      const own = { repo: `${url}team`, type: "git", username: "all", password: "the password of all" };
      const made = await world.ask("admin", "POST /api/v1/repositories", { body: own });
      const added = { repo: url, project: "team", username: "mine", password: "mine" };
      await world.ask("alice", "POST /api/v1/repositories?upsert=true", { body: added });
      const seen = await world.ask("admin", `GET ${repository(own.repo)}`);
      await world.ask("admin", `DELETE ${repository(own.repo)}`);
      await world.ask("admin", `DELETE ${repository(url)}?appProject=team`);
      assert.equal(made.status, 200, JSON.stringify(made.body));
      assert.match(JSON.stringify(seen.body), /"username":"all"/);
      await world.assertUnharmed([JSON.stringify(seen.body)]);
    },
  },
  {
    id: "credentials/github-of-this-machine",
    threat: "A tenant's repository names a service of this machine as the GitHub that gives its App tokens",
    heldBy: "tokens of a GitHub App are asked for at github.com, or by https where the repository itself is",
    play: async (world) => {
      const repo = `${world.at.gitUrl}/team-by-app.git`;
      const githubAppEnterpriseBaseUrl = world.at.url;
      const key = { githubAppID: 1, githubAppInstallationID: 1, githubAppPrivateKey: "a key" };
      const body = { repo, project: "team", ...key, githubAppEnterpriseBaseUrl };
      await world.ask("alice", "POST /api/v1/repositories", { body });
      const seen = await world.ask("alice", `GET ${repository(repo)}?appProject=team&forceRefresh=true`);
      await world.ask("admin", `DELETE ${repository(repo)}?appProject=team`);
      const text = JSON.stringify(seen.body);
      assert.match(text, /githubAppEnterpriseBaseUrl is no https address at/);
      await world.assertUnharmed([text]);
    },
  },
  {
    id: "credentials/proxy-of-this-machine",
    threat:
      "A tenant's repository goes by a proxy that is a service of this machine: Capstan asks it for him",
    heldBy: "proxies of projects' repositories are no address of this machine or its metadata service",
    play: async (world) => {
      const repo = `${world.at.gitUrl}/team-by-proxy.git`;
      const body = { repo, project: "team", proxy: world.at.url, username: "mine", password: "mine" };
      const added = await world.ask("alice", "POST /api/v1/repositories?upsert=true", { body });
      const seen = await world.ask("alice", `GET ${repository(repo)}?appProject=team&forceRefresh=true`);
      const refs = await world.ask("alice", `GET ${repository(repo)}/refs?appProject=team`);
      assert.equal(added.status, 200, JSON.stringify(added.body));
      for (const { body: said } of [seen, refs])
        assert.match(JSON.stringify(said), /the proxy .* is an address of the machine/);
      await world.ask("alice", `DELETE ${repository(repo)}?appProject=team`);
      await world.assertUnharmed([JSON.stringify(seen.body)]);
    },
  },
  {
    id: "credentials/cluster-of-all",
    threat: "A tenant defines the cluster that everybody deploys to anew, as his project's",
    heldBy:
      "the right is asked on the cluster that has the address or the name; without a Secret it may be named a project's only if that may go everywhere in it, and while no other project's application does",
    play: defineOwnClusterAnew,
  },
  {
    id: "credentials/program-of-a-cluster",
    threat: "A tenant adds a cluster whose credentials come from a program that he names",
    heldBy: "clusters of projects name no program",
    play: asks({
      who: "alice",
      method: "POST",
      path: () => "/api/v1/clusters",
      body: ({ proof }) => ({
        server: "https://127.0.0.1:9",
        name: "program",
        project: "team",
        config: { execProviderConfig: { command: "touch", args: [proof] } },
      }),
      status: [400],
      says: /names a program/,
    }),
  },
  {
    id: "credentials/own-data-as-repository",
    threat: "A repository's address is a folder of Capstan's own data",
    heldBy: "one function decides about folders of the machine, by their real paths",
    advisories: ["CVE-2022-39253", "CVE-2023-22490"],
    play: asks({
      who: "admin",
      method: "GET",
      path: ({ dataDir }) => `${repository(`file://${dataDir}/render/repos`)}/refs`,
      status: [400],
      says: /own data/,
    }),
  },
  {
    id: "credentials/own-process-as-repository",
    threat: "A repository's address is a folder of the process that looks",
    heldBy: "nothing below /proc, /sys and /dev is a repository",
    play: asks({
      who: "admin",
      method: "GET",
      path: () => `${repository("file:///proc/self/cwd")}/refs`,
      status: [400],
    }),
  },
  {
    id: "credentials/transport-of-git",
    threat: "A repository's address names a transport of git that runs a program or reads a descriptor",
    heldBy: "GIT_ALLOW_PROTOCOL, wherever git is started, and addresses that are read strictly",
    advisories: ["CVE-2017-1000117"],
    play: async (world) => {
      for (const url of ["fd::0", `ext::touch ${world.at.proof}`])
        await asks({
          who: "admin",
          method: "GET",
          path: () => `${repository(url)}/refs`,
          status: [400, 403, 404, 412, 424, 502, 503],
        })(world);
    },
  },
  {
    id: "credentials/secret-of-another-namespace",
    threat: "Manifests ask for a Secret of another tenant's namespace",
    heldBy: "secret stores are allowed by project, by default the application's own namespace",
    play: deploys("secret-elsewhere", placeholder("kubernetessecret", "rival-a:treasure#value")),
  },
  {
    id: "credentials/secret-store-of-the-operator",
    threat: "Manifests ask for a path of a store for which the operator has credentials",
    heldBy: "secret stores are allowed by project: annotation capstan.dev/secret-stores",
    play: deploys("operators-store", placeholder("vault", "secret/data/rival#value")),
  },
];
