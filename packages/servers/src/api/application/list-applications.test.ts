import assert from "node:assert/strict";
import { test } from "node:test";
import { applicationsWorld } from "./test-applications.ts";

type World = ReturnType<typeof applicationsWorld>;
type Query = Parameters<World["list"]>[0];

const names = (list: Awaited<ReturnType<World["list"]>>) => list.items.map(({ metadata }) => metadata.name);

function five(): World {
  const world = applicationsWorld();
  world.put("web", { project: "team", labels: { tier: "front" }, automated: {} });
  world.put("api", {
    project: "team",
    health: "Degraded",
    repoURL: "https://git.example.com/Backend.git",
    automated: { enabled: false },
  });
  world.put("db", {
    sync: "OutOfSync",
    destination: { server: "https://kubernetes.default.svc", namespace: "data" },
  });
  world.put("cache", { health: "Progressing", destination: { name: "prod-eu", namespace: "data" } });
  world.put("mail", { destination: { server: "https://10.0.0.1:6443/", namespace: "mail" } });
  return world;
}

/** All pages of a list, each with how many are left. */
async function pages(world: World, query: Query, user?: string): Promise<string[]> {
  const seen: string[] = [];
  let from: string | undefined;
  for (let page = 0; page < 20; page += 1) {
    const list = await world.list({ ...query, ...(from ? { continue: from } : {}) }, user);
    seen.push(`${names(list)} ${list.metadata.remainingItemCount ?? "end"}`);
    from = list.metadata.continue;
    if (!from) break;
  }
  return seen;
}

test("without a limit all come, by name, as from Argo CD", async () => {
  const { items, metadata } = await five().list({});
  assert.deepEqual(
    items.map((app) => app.metadata.name),
    ["api", "cache", "db", "mail", "web"],
  );
  assert.deepEqual(metadata, { resourceVersion: "105" });
});

test("pages follow one another without gap or repetition, in each direction", async () => {
  const world = five();
  assert.deepEqual(await pages(world, { limit: 2 }), ["api,cache 3", "db,mail 1", "web end"]);
  assert.deepEqual(await pages(world, { limit: 2, sort: "-name" }), ["web,mail 3", "db,cache 1", "api end"]);
  assert.deepEqual(await pages(world, { limit: 5 }), ["api,cache,db,mail,web end"]);
  assert.deepEqual(await pages(world, { limit: 2, sort: "state" }), ["api,cache 3", "db,mail 1", "web end"]);
});

test("equal keys are told apart by namespace and name", async () => {
  const world = applicationsWorld();
  for (const name of ["b", "a", "c"]) world.put(name, { health: "Missing" });
  assert.deepEqual(await pages(world, { limit: 1, sort: "health" }), ["a 2", "b 1", "c end"]);
  assert.deepEqual(await pages(world, { limit: 1, sort: "-health" }), ["c 2", "b 1", "a end"]);
});

test("pages hold what the caller may see, and count nothing else", async () => {
  assert.deepEqual(await pages(five(), { limit: 1 }, "eve"), ["api 1", "web end"]);
});

const sorted: [sort: string, order: string][] = [
  ["health", "api,cache,db,mail,web"],
  ["-sync", "web,mail,cache,api,db"],
  ["project", "cache,db,mail,api,web"],
  ["destination", "mail,api,db,web,cache"],
  ["repo", "api,cache,db,mail,web"],
];
for (const [sort, order] of sorted)
  test(`sorted by ${sort}`, async () => assert.equal(String(names(await five().list({ sort }))), order));

const filtered: [what: string, query: Query, found: string][] = [
  ["words of any field", { search: "BACKEND team" }, "api"],
  ["a label", { search: "tier=front" }, "web"],
  ["a label's selector and a filter", { selector: "tier=front", autoSync: true }, "web"],
  ["a destination's namespace", { search: "mail" }, "mail"],
  ["clusters by name and by address", { cluster: ["prod-eu", "https://10.0.0.1:6443"] }, "cache,mail"],
  ["the own cluster, however it is named", { cluster: ["in-cluster"] }, "api,db,web"],
  ["namespaces", { namespace: ["data"] }, "cache,db"],
  ["health", { health: ["Degraded", "Progressing"] }, "api,cache"],
  ["sync", { sync: ["OutOfSync"] }, "db"],
  ["automation", { autoSync: true }, "web"],
  ["none", { autoSync: false, project: ["team"] }, "api"],
  ["project and repository", { project: ["team"], repo: "https://git.example.com/backend" }, "api"],
  ["nothing that is there", { search: "web absent" }, ""],
];
for (const [what, query, found] of filtered)
  test(`found by ${what}`, async () => assert.equal(String(names(await five().list(query))), found));

test("a list follows changes, and a page goes on behind what is gone", async () => {
  const world = five();
  await world.list({});
  await world.list({ sort: "health" });
  const first = await world.list({ limit: 2 });
  const query = { limit: 2, continue: first.metadata.continue };
  world.remove("cache");
  world.put("chart");
  world.put("db", { health: "Degraded" });
  const next = await world.list(query);
  assert.deepEqual(names(next), ["chart", "db"]);
  // The version of the first page: a watch from it tells of all three.
  assert.equal(next.metadata.resourceVersion, first.metadata.resourceVersion);
  assert.deepEqual(names(await world.list({ sort: "health" })), ["api", "db", "chart", "mail", "web"]);
});

test("rights that change count from then on", async () => {
  const world = five();
  assert.equal((await world.list({}, "eve")).items.length, 2);
  const before = world.index.state();
  world.setPolicy("p, eve, applications, get, */mail, allow");
  assert.deepEqual(names(await world.list({}, "eve")), ["mail"]);
  assert.notEqual(world.index.state(), before);
  world.setPolicy("");
  const role = { name: "reader", policies: ["p, proj:team:reader, applications, get, team/api, allow"] };
  world.putProject("team", { roles: [{ ...role, groups: ["eves"] }] });
  assert.deepEqual(names(await world.list({}, "proj:team:reader")), ["api"]);
  world.putProject("team", { roles: [] });
  assert.deepEqual(names(await world.list({}, "proj:team:reader")), []);
});

const token = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");
const refusals: [what: string, query: Query, field: RegExp][] = [
  ["a sort that there is not", { sort: "constructor" }, /^sort: a list is sorted by name, /],
  ["a negative limit", { limit: -1 }, /^limit: /],
  ["a health that there is not", { health: ["Fine"] }, /^health: "Fine" is none of Degraded, /],
  ["a sync state that there is not", { sync: ["synced"] }, /^sync: /],
  ["a search without end", { search: "a".repeat(513) }, /^search: is longer/],
  ["a token that is none", { continue: "!" }, /^continue: is not what/],
  ["a token without end", { continue: "A".repeat(5000) }, /^continue: is not what/],
  ["a token of something else", { continue: token({}) }, /^continue: is not what/],
  ["a token with a key of something else", { continue: token("d", "1", {}, "x") }, /^continue: is not what/],
  [
    "a token with a version of something else",
    { continue: token("d", "x", "k", "x") },
    /^continue: is not what/,
  ],
];
for (const [what, query, problem] of refusals)
  test(`${what} is refused`, async () =>
    assert.rejects(five().list(query), (error: Error & { code?: string }) => {
      assert.equal(error.code, "INVALID_ARGUMENT");
      assert.match(error.message, problem);
      return true;
    }));

test("a token goes on with its own question only", async () => {
  const world = five();
  const { metadata } = await world.list({ limit: 1 });
  const other = [{ sort: "-name" }, { search: "a" }, { health: ["Healthy"] }];
  for (const query of other)
    await assert.rejects(world.list({ ...query, limit: 1, continue: metadata.continue }), /other filters/);
  // The size of a page and the fields of its entries may change.
  const rest = await world.list({ limit: 0, fields: "items.metadata", continue: metadata.continue });
  assert.deepEqual(names(rest), ["cache", "db", "mail", "web"]);
});
