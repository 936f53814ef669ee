import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  eventually,
  githubApi,
  type HostServer,
  type LoopbackServer,
  startHostServer,
  startLoopbackServer,
} from "@capstan/testkit";
import { generatorSet, openSetWorld, type SetWorld } from "@capstan/testkit/worlds";

const namespace = "argocd";
const limit = () => AbortSignal.timeout(60_000);
/** More than may ask one server at a time. */
const hanging = ["one", "two", "three", "four", "five", "six"];
const asked: string[] = [];
let sets: SetWorld;
let well: HostServer;
let stuck: LoopbackServer;

before(async () => {
  const branches = [{ name: "main", sha: "1".repeat(40), files: [] }];
  const web = { name: "web", id: 1, defaultBranch: "main", isArchived: false, topics: [], branches };
  well = await startHostServer(githubApi({ owner: "acme", token: "s3cret", repositories: [web] }));
  stuck = await startLoopbackServer(({ url = "" }) => void asked.push(url));
  sets = await openSetWorld();
  const metadata = { name: "github", namespace };
  await sets.create({ apiVersion: "v1", kind: "Secret", metadata, stringData: { token: "s3cret" } });
  await sets.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-cmd-params-cm", namespace },
    data: { "applicationsetcontroller.allowed.scm.providers": `${well.url},${stuck.url}` },
  });
  const { settings } = sets.world;
  await until(() => Object.keys(settings.current.params).length > 0);
});
after(async () => {
  await stuck[Symbol.asyncDispose]();
  await sets[Symbol.asyncDispose]();
  await well[Symbol.asyncDispose]();
});

const until = (isTrue: () => boolean) =>
  eventually(async () => isTrue() || undefined, { signal: limit(), describe: () => asked.join() });

function repositoriesOf(organization: string, api: string): object {
  return { scmProvider: { github: { organization, api, tokenRef: { secretName: "github", key: "token" } } } };
}

test("a server that hangs holds up only the sets that ask it, and those only until they are changed", async () => {
  for (const name of hanging)
    await sets.create(generatorSet(name, repositoriesOf(name, stuck.url), "repository"));
  await sets.create(
    generatorSet(
      "cloned",
      { git: { repoURL: `${stuck.url}/x`, directories: [{ path: "*" }] } },
      "repository",
    ),
  );
  await until(() => asked.length >= 4);
  await sets.create(generatorSet("well", repositoriesOf("acme", well.url), "repository"));
  await sets.untilNames("well-", ["well-web"]);
  assert.equal(asked.length, 4, "of one server four questions are under way");
  for (const name of [...hanging, "cloned"]) {
    const generators = [{ list: { elements: [{ repository: "now" }] } }];
    await sets.change(name, { spec: { generators } });
    await sets.untilNames(`${name}-`, [`${name}-now`]);
  }
});
