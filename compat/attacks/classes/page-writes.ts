/** Repositories, templates, clusters and settings are changed in the page: by a token of one project, those of another. */
import assert from "node:assert/strict";
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import type { ApiAnswer } from "@capstan/testkit/worlds";
import type { Attack, AttackWorld } from "../attack.ts";
import { roleToken, writeProject } from "../project-roles.ts";

const signal = () => AbortSignal.timeout(100_000);
const owner = "page-writes-owner";
const other = "page-writes-other";
/** Nothing listens there. */
const clusterOf = (project: string) => (project === owner ? "https://127.0.0.71:9" : "https://127.0.0.72:9");
const password = "of the owner's repository";
const bearerToken = "of-the-owners-cluster";
const encoded = encodeURIComponent;

/** A project whose role `dev` may do all with repositories and clusters of it, with one of each. */
async function fillProject(world: AttackWorld, project: string): Promise<string> {
  const policies = ["repositories", "clusters", "applications"].map(
    (resource) => `p, proj:${project}:dev, ${resource}, *, ${project}/*, allow`,
  );
  await writeProject(world, project, [{ name: "dev", policies }]);
  const repo = repositoryOf(world, project);
  const body = { repo, project, username: project, password };
  const added = await world.ask("admin", "POST /api/v1/repositories", { body });
  assert.equal(added.status, 200, JSON.stringify(added.body));
  // Past the API, which would ask the cluster first.
  const metadata = {
    name: project,
    namespace: "argocd",
    labels: { "argocd.argoproj.io/secret-type": "cluster" },
  };
  const config = JSON.stringify({ bearerToken });
  const stringData = { name: project, server: clusterOf(project), project, config };
  await world.capstan.kube.create(
    { apiVersion: "v1", kind: "Secret", metadata, stringData },
    { signal: signal() },
  );
  return roleToken(world, project);
}

const clusterPaths = [encoded(clusterOf(owner)), `${owner}?id.type=name`].map(
  (id) => `/api/v1/clusters/${id}`,
);
const repositoryOf = ({ at }: AttackWorld, project: string) => `${at.gitUrl}/${project}-app.git`;

interface Asked {
  readonly line: string;
  readonly body?: object;
}

/** Whatever a page of Repositories, Clusters or Settings sends, of what is the owner's. */
function changes(world: AttackWorld, resourceVersion: string): readonly Asked[] {
  const repo = repositoryOf(world, owner);
  const place = `/api/v1/repositories/${encoded(repo)}`;
  const repositories = [owner, other, undefined].flatMap((project): Asked[] => [
    { line: `PUT ${place}`, body: { repo, project, username: "mine", password: "mine" } },
    { line: `POST /api/v1/repositories?upsert=true`, body: { repo, project, password: "mine" } },
    { line: `DELETE ${place}?appProject=${project ?? ""}` },
    { line: `GET ${place}?appProject=${project ?? ""}&forceRefresh=true` },
  ]);
  const server = clusterOf(owner);
  const withQuery = (path: string, more: string) => `${path}${path.includes("?") ? "&" : "?"}${more}`;
  const clusters = clusterPaths.flatMap((path): Asked[] => [
    { line: `PUT ${withQuery(path, "updatedFields=labels")}`, body: { server, labels: { mine: "yes" } } },
    { line: `PUT ${withQuery(path, "updatedFields=project")}`, body: { server, project: other } },
    {
      line: `PUT ${withQuery(path, "updatedFields=config")}`,
      body: { server, config: { bearerToken: "mine" } },
    },
    { line: `PUT ${path}`, body: { server, name: owner, project: other, config: {} } },
    { line: `DELETE ${path}` },
    { line: `GET ${path}` },
  ]);
  const url = world.at.gitUrl;
  const texts = "/api/v1/settings/texts/argocd-notifications-cm";
  return [
    ...repositories.filter(({ line, body }) => !isOwnToAdd(line, body)),
    ...clusters,
    { line: `POST /api/v1/clusters/${encoded(server)}/invalidate-cache` },
    { line: "POST /api/v1/clusters?upsert=true", body: { server, name: "mine", project: other, config: {} } },
    { line: "POST /api/v1/repocreds?upsert=true", body: { url, username: "mine", password: "mine" } },
    { line: `PUT /api/v1/repocreds/${encoded(url)}`, body: { url, username: "mine", password: "mine" } },
    { line: `DELETE /api/v1/repocreds/${encoded(url)}` },
    { line: `GET ${texts}` },
    { line: `PUT ${texts}/template.mine`, body: { text: "message: mine", resourceVersion } },
    { line: `DELETE ${texts}/template.theirs?resourceVersion=${resourceVersion}` },
  ];
}

/** The same address with credentials of one's own, for one's own project alone, is nobody else's matter. */
const isOwnToAdd = (line: string, body: object | undefined): boolean =>
  line.startsWith("POST") && isRecord(body) && body.project === other;

const lists = ["/api/v1/repositories", "/api/v1/clusters", "/api/v1/repocreds"];

async function ask(world: AttackWorld, token: string, { line, body }: Asked): Promise<ApiAnswer> {
  return world.ask("nobody", line, { token, ...(body ? { body } : {}) });
}

/** What is stored, to the letter. */
async function stored({ capstan }: AttackWorld): Promise<string> {
  const { items } = await capstan.kube.list(
    { apiVersion: "v1", kind: "Secret", namespace: "argocd" },
    signal(),
  );
  const owners = items.filter((secret) => {
    const { data } = secret;
    return isRecord(data) && Buffer.from(String(data.project ?? ""), "base64").toString() === owner;
  });
  assert.equal(owners.length, 2, "a repository and a cluster are the owner's");
  return JSON.stringify(owners);
}

async function anothersEntries(world: AttackWorld): Promise<void> {
  const owners = await fillProject(world, owner);
  const token = await fillProject(world, other);
  const own = await eventually(
    async () => {
      const answers = await Promise.all(lists.map((list) => ask(world, token, { line: `GET ${list}` })));
      const text = JSON.stringify(answers.map(({ body }) => body));
      return text.includes(clusterOf(other)) && text.includes(`${other}-app.git`) ? text : undefined;
    },
    { signal: signal(), describe: () => "a role does not see what is its project's own" },
  );
  for (const text of [owner, password, bearerToken]) assert.ok(!own.includes(text), `${text}: ${own}`);
  // What is refused below is there under these addresses.
  const repository = `/api/v1/repositories/${encoded(repositoryOf(world, owner))}?appProject=${owner}`;
  for (const path of [repository, ...clusterPaths]) {
    const { status, body } = await ask(world, owners, { line: `GET ${path}` });
    assert.equal(status, 200, JSON.stringify(body));
  }
  const settings = await world.ask("admin", "GET /api/v1/settings/texts/argocd-notifications-cm");
  const version = isRecord(settings.body) ? String(settings.body.resourceVersion ?? "") : "";
  const before = await stored(world);
  const texts = [own];
  for (const asked of changes(world, version)) {
    const { status, body } = await ask(world, token, asked);
    const said = JSON.stringify(body);
    texts.push(said);
    assert.ok([403, 404].includes(status), `${asked.line} answered ${status}: ${said}`);
    for (const text of [password, bearerToken]) assert.ok(!said.includes(text), said);
  }
  assert.equal(await stored(world), before, "something of the owner's has changed");
  await world.assertUnharmed(texts);
}

export const attacks: readonly Attack[] = [
  {
    id: "page-writes/entries-of-another-project",
    threat:
      "A token of one project changes, takes over, deletes, tests and reads another project's repository and cluster, templates and settings, by every request that the page sends",
    heldBy:
      "the right is asked on what is stored and on what it becomes; what one may not see is answered as what is not there; templates and settings are no project's",
    play: async (world) => {
      try {
        await anothersEntries(world);
      } finally {
        for (const project of [owner, other]) {
          const repo = encoded(repositoryOf(world, project));
          await world.ask("admin", `DELETE /api/v1/repositories/${repo}?appProject=${project}`);
          await world.ask("admin", `DELETE /api/v1/clusters/${encoded(clusterOf(project))}`);
        }
      }
    },
  },
];
