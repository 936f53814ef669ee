/** Calls that the page alone makes, asked by whoever may not, and otherwise than the page asks. */
import assert from "node:assert/strict";
import { isRecord } from "@capstan/formats";
import { type HostedRepository, untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { configMap, fineConfigMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";
import { roleToken, writeProject } from "../project-roles.ts";
import { asks } from "../request.ts";
import { tellsNothing } from "./accounts.ts";

const oddly = "asked-oddly";
const objectsOf = (name: string, query: string) => `/api/v1/applications/${name}/managed-resources?${query}`;
const longTextLength = 200_000;
const secretValues = ["the-value-as-it-lives", "the-value-as-git-has-it", "half-of-one-that-is-no-base64%%"];

/** A Secret, one that the cluster refuses, and an object with a long text. */
const oddFiles = ([value = "", refused]: readonly string[], letter: string) => ({
  "app/long.yaml": configMap({ name: "long" }, { text: letter.repeat(longTextLength) }),
  "app/same.yaml": fineConfigMap,
  "app/secret.yaml": JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "own" },
    data: { value: refused ?? Buffer.from(value).toString("base64") },
  }),
  "app/other.yaml": JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "other" },
    stringData: { value },
  }),
});

/** What lives is not what git says, of three of its four objects, and stays so. */
async function makeDiffer(world: AttackWorld): Promise<void> {
  const [lives = "", wanted = "", refused = ""] = secretValues;
  let repository: HostedRepository | undefined;
  await deploys(oddly, {
    files: () => oddFiles([lives], "a"),
    prepare: async (made) => {
      repository = made;
    },
    ends: { harmless: true },
  })(world);
  const patch = JSON.stringify({ spec: { syncPolicy: { automated: null } } });
  await world.ask("alice", `PATCH /api/v1/applications/${oddly}`, { body: { patch, patchType: "merge" } });
  const revision = await repository?.commit(oddFiles([wanted, refused], "b"));
  await world.ask("alice", `GET /api/v1/applications/${oddly}?refresh=normal`);
  const isSo = (view: { revision: string; sync: string }) =>
    view.revision === revision && view.sync === "OutOfSync";
  await untilApplication(world.capstan.kube, oddly, { isSo, limitMs: 120_000 });
}

const sides = ["targetState", "liveState", "normalizedLiveState", "predictedLiveState"];
const oddQueries = [
  ...sides.map((side) => `fields=items.${side}&differing=true`),
  ...sides.map((side) => `fields=items.${side}.data.value&kind=Secret`),
  ...["", "fields=", "fields=-", "fields=-items.name", "fields=items&fields=-items.name"],
  "fields=items.__proto__,items.constructor.constructor,items.toString,__proto__.polluted",
  "fields=-items.__proto__,__proto__,constructor.prototype",
  `fields=${"items.liveState,".repeat(150)}`,
  ...["differing=1&differing=0", "differing=0&differing=1", "differing=T&kind=Secret&namespace=rival-a"],
  ...["differing=true&resourceName=treasure&namespace=rival-a", "kind=__proto__&differing=true"],
];
const refusedQueries = [
  `fields=${"items.name,".repeat(1_000)}`,
  `fields=${"items.".repeat(2_000)}`,
  ...["differing=", "differing=maybe", "differing=2", "differing=true&differing=null"],
];
const known = new Set([
  ...sides,
  ...["group", "kind", "namespace", "name", "resourceVersion", "modified", "hook", "unpredicted"],
]);

async function askOddly(world: AttackWorld): Promise<void> {
  const texts: string[] = [];
  const read = async (query: string, status: number) => {
    const answer = await world.ask("carol", `GET ${objectsOf(oddly, query)}`);
    const text = JSON.stringify(answer.body);
    assert.equal(answer.status, status, `${query}: ${text.slice(0, 500)}`);
    texts.push(text);
    const items = isRecord(answer.body) && Array.isArray(answer.body.items) ? answer.body.items : [];
    for (const item of items) for (const name of Object.keys(item)) assert.ok(known.has(name), name);
    return { items, text };
  };
  for (const query of oddQueries) await read(query, 200);
  for (const query of refusedQueries) await read(query, 400);
  const { items, text } = await read("differing=true&fields=items.name,items.unpredicted", 200);
  assert.deepEqual(items.map(({ name }) => name).sort(), ["long", "other", "own"]);
  assert.ok(text.length < 1_000, `what was not asked for came: ${text.length} characters`);
  // Each of them is a comparison with two texts of 200 KB: others are answered all the same.
  const many = Array.from({ length: 40 }, () => read("differing=true", 200));
  assert.equal((await world.ask("bob", "GET /api/v1/applications")).status, 200);
  for (const { items: each } of await Promise.all(many)) assert.equal(each.length, 3);
  for (const value of secretValues)
    for (const secret of [value, Buffer.from(value).toString("base64")])
      for (const one of texts) assert.ok(!one.includes(secret), `a Secret's value is shown: ${secret}`);
  await world.assertUnharmed(texts);
}

export const attacks: readonly Attack[] = [
  {
    id: "page-calls/objects-that-differ",
    threat:
      "An account that may see an application, and another project's token, ask for what differs by fields without end, of others and of every object's prototype, many times at once, to see Secrets or to hold others up",
    heldBy:
      "fields are counted, and those of the answer alone are given; Secrets are masked before a text is made of them, the cluster's words about one are not told, and what is not asked for is not made",
    play: async (world) => {
      await makeDiffer(world);
      await askOddly(world);
      const query = "differing=true&fields=items.liveState";
      await tellsNothing("bob", [objectsOf(oddly, query), objectsOf("absent-oddly", query)])(world);
      const project = "asks-oddly";
      const policies = [`p, proj:${project}:dev, applications, *, ${project}/*, allow`];
      await writeProject(world, project, [{ name: "dev", policies }]);
      const token = await roleToken(world, project);
      for (const asked of [`${query}&project=team`, `${query}&project=${project}`, query]) {
        const { status, body } = await world.ask("nobody", `GET ${objectsOf(oddly, asked)}`, { token });
        assert.ok([400, 403, 404].includes(status), `${asked}: ${status} ${JSON.stringify(body)}`);
        await world.assertUnharmed([JSON.stringify(body)]);
      }
      assert.equal((await world.ask("nobody", `GET ${objectsOf(oddly, query)}`)).status, 401);
    },
  },
  {
    id: "page-calls/changes-of-a-foreign-tree",
    threat: "An account follows the changes of a foreign application's tree, and of one that is not there",
    heldBy: "the same refusal for both, before anything is followed",
    play: async (world) => {
      await deploys("followed-tree", {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        ends: { harmless: true },
      })(world);
      const streamOf = (name: string) => `/api/v1/stream/applications/${name}/resource-tree/changes`;
      await tellsNothing("bob", [streamOf("followed-tree"), streamOf("absent-tree")])(world);
    },
  },
  {
    id: "page-calls/a-dry-run-without-the-right",
    threat:
      "An account that may only see an application tries a patch of its objects, which shows what they hold",
    heldBy: "a dry run of a patch asks for the right to patch",
    play: async (world) => {
      await deploys("tried-patch", {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        ends: { harmless: true },
      })(world);
      const where = "namespace=team-tried-patch&resourceName=fine&version=v1&kind=ConfigMap&group=";
      await asks({
        who: "carol",
        method: "POST",
        path: () =>
          `/api/v1/applications/tried-patch/resource?${where}&patchType=application/merge-patch%2Bjson&dryRun=true`,
        body: () => JSON.stringify(JSON.stringify({ data: { x: "y" } })),
        status: [403],
      })(world);
    },
  },
  {
    id: "page-calls/questions-without-end",
    threat: "An account asks for ten thousand rights in one request",
    heldBy: "two thousand questions are answered at a time",
    play: asks({
      who: "bob",
      method: "POST",
      path: () => "/api/v1/account/can-i",
      body: () => ({
        rights: Array.from({ length: 10_000 }, () => ({ resource: "projects", action: "get", object: "x" })),
      }),
      status: [400],
      says: /2,?000/,
    }),
  },
  {
    id: "page-calls/rights-of-another",
    threat: "An account asks what others may, to learn who they are and whom to be taken for",
    heldBy:
      "the right to see that account, asked before anything is answered; alike for one that is not there",
    play: async (world) => {
      const rights = [{ resource: "projects", action: "get", object: "default" }];
      const subjects = [
        { kind: "account", subject: "admin" },
        { kind: "account", subject: "not-there" },
        { kind: "user", subject: "somebody@example.com" },
        { kind: "group", subject: "admins" },
      ];
      for (const asked of subjects)
        await asks({
          who: "bob",
          method: "POST",
          path: () => "/api/v1/account/rights",
          body: () => ({ ...asked, rights }),
          status: [403],
        })(world);
    },
  },
];
