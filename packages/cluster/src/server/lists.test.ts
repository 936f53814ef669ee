import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@capstan/flow";
import { at, namesOf, TestCluster, temporaryFolder } from "./test-cluster.ts";

const maps = "/api/v1/namespaces/default/configmaps";

async function withMaps(cluster: TestCluster, labels: Record<string, Record<string, string>>): Promise<void> {
  for (const [name, own] of Object.entries(labels))
    await cluster.create(maps, { metadata: { name, labels: { test: "yes", ...own } } });
}

test("label selectors choose by equality, sets, existence and comparison", async (t) => {
  const cluster = await TestCluster.start(t);
  await withMaps(cluster, { a: { tier: "web", size: "3" }, b: { tier: "db", size: "10" }, c: {} });
  const cases: [string, string[]][] = [
    ["tier=web", ["a"]],
    ["tier==web,size=3", ["a"]],
    ["tier!=web", ["b", "c"]],
    ["tier", ["a", "b"]],
    ["!tier", ["c"]],
    ["tier in (web, db)", ["a", "b"]],
    ["tier notin (web)", ["b", "c"]],
    ["size>5", ["b"]],
    ["size < 5", ["a"]],
  ];
  for (const [selector, expected] of cases) {
    const answer = await cluster.get(`${maps}?labelSelector=${encodeURIComponent(`test=yes,${selector}`)}`);
    assert.deepEqual(namesOf(answer), expected, selector);
  }
  for (const [bad, message] of [
    ["x===y", "unable to parse requirement: found '=', expected: identifier"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ]) {
    const answer = await cluster.get(`${maps}?labelSelector=${encodeURIComponent(bad ?? "")}`);
    assert.equal(answer.status, 400);
    assert.equal(answer.body.message, message);
  }
});

test("field selectors choose by what the kind offers", async (t) => {
  const cluster = await TestCluster.start(t);
  await withMaps(cluster, { a: {}, b: {} });
  assert.deepEqual(namesOf(await cluster.get(`${maps}?fieldSelector=metadata.name%3Da`)), ["a"]);
  assert.deepEqual(
    namesOf(await cluster.get(`${maps}?labelSelector=test&fieldSelector=metadata.name!%3Da`)),
    ["b"],
  );
  await cluster.create("/api/v1/namespaces/default/secrets", { metadata: { name: "s" }, type: "x/y" });
  assert.deepEqual(namesOf(await cluster.get("/api/v1/secrets?fieldSelector=type%3Dx/y")), ["s"]);
  const unknown = await cluster.get(`${maps}?fieldSelector=data.x%3Dy`);
  assert.equal(unknown.status, 400);
  assert.equal(
    unknown.body.message,
    '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
  const pods = await cluster.get("/api/v1/pods?fieldSelector=x%3Dy");
  assert.equal(pods.body.message, "field label not supported: x");
});

test("pages show one moment, whatever is written between them", async (t) => {
  const cluster = await TestCluster.start(t);
  await withMaps(cluster, { a: {}, c: {}, d: {}, e: {} });
  const first = await cluster.get(`${maps}?limit=2&fieldSelector=metadata.name!%3Dkube-root-ca.crt`);
  assert.deepEqual(namesOf(first), ["a", "c"]);
  await cluster.create(maps, { metadata: { name: "b" } });
  await cluster.create(maps, { metadata: { name: "dd" } });
  await cluster.ask("DELETE", `${maps}/d`);
  const token = String(at(first.body, "metadata", "continue"));
  const second = await cluster.get(
    `${maps}?limit=20&fieldSelector=metadata.name!%3Dkube-root-ca.crt&continue=${token}`,
  );
  assert.deepEqual(namesOf(second), ["d", "e"]);
  assert.equal(at(second.body, "metadata", "resourceVersion"), at(first.body, "metadata", "resourceVersion"));
  assert.equal(at(second.body, "metadata", "continue"), undefined);
});

test("a page counts what remains, unless a selector hides it", async (t) => {
  const cluster = await TestCluster.start(t);
  await withMaps(cluster, { a: {}, b: {}, c: {} });
  await cluster.until(`${maps}/kube-root-ca.crt`, ({ status }) => status === 200);
  assert.equal(at((await cluster.get(`${maps}?limit=1`)).body, "metadata", "remainingItemCount"), 3);
  const selected = await cluster.get(`${maps}?limit=1&labelSelector=test`);
  assert.equal(at(selected.body, "metadata", "remainingItemCount"), undefined);
  const broken = await cluster.get(`${maps}?limit=1&continue=abc`);
  assert.equal(broken.status, 400);
  assert.match(String(broken.body.message), /^invalid continue token: continue key is not valid/);
});

test("a token from before a restart is expired, and the answer says how to go on", async (t) => {
  const dataDir = temporaryFolder(t);
  const first = await TestCluster.start(t, dataDir);
  await withMaps(first, { a: {}, b: {}, c: {} });
  const page = await first.get(`${maps}?limit=1&labelSelector=test`);
  await first.create(maps, { metadata: { name: "later" } });
  await first.cluster.close();
  const second = await TestCluster.start(t, dataDir);
  const token = at(page.body, "metadata", "continue");
  const expired = await second.get(`${maps}?labelSelector=test&continue=${token}`);
  assert.equal(expired.status, 410);
  assert.equal(expired.body.reason, "Expired");
  const next = at(expired.body, "metadata", "continue");
  assert.deepEqual(namesOf(await second.get(`${maps}?labelSelector=test&continue=${next}`)), ["b", "c"]);
});

test("a listing that takes longer than five minutes goes on at the newest revision", async (t) => {
  let laterMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
  const cluster = await TestCluster.start(t, temporaryFolder(t), clock);
  await withMaps(cluster, { a: {}, b: {}, c: {} });
  const page = await cluster.get(`${maps}?labelSelector=test&limit=1`);
  laterMs = 200_000;
  const next = `${maps}?labelSelector=test&limit=1&continue=${at(page.body, "metadata", "continue")}`;
  const second = await cluster.get(next);
  assert.deepEqual(namesOf(second), ["b"]);
  laterMs = 301_000;
  const token = at(second.body, "metadata", "continue");
  const expired = await cluster.get(`${maps}?labelSelector=test&continue=${token}`);
  assert.equal(expired.status, 410);
  const rest = at(expired.body, "metadata", "continue");
  assert.deepEqual(namesOf(await cluster.get(`${maps}?labelSelector=test&continue=${rest}`)), ["c"]);
});

test("resourceVersion and resourceVersionMatch are held to the rules of ListOptions", async (t) => {
  const cluster = await TestCluster.start(t);
  const messages: [string, number, string][] = [
    [
      "resourceVersion=abc",
      400,
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      "resourceVersionMatch=Exact",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    ["limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
  ];
  for (const [query, status, message] of messages) {
    const answer = await cluster.get(`${maps}?${query}`);
    assert.equal(answer.status, status, query);
    assert.equal(answer.body.message, message);
  }
  const future = await cluster.get(`${maps}?resourceVersion=999999`);
  assert.equal(future.status, 504);
  assert.match(String(future.body.message), /^Timeout: Too large resource version: 999999, current: \d+$/);
  assert.equal(at(future.body, "details", "retryAfterSeconds"), 1);
});

test("an exact revision shows the past", async (t) => {
  const cluster = await TestCluster.start(t);
  await withMaps(cluster, { a: {} });
  const revision = at((await cluster.get(`${maps}/a`)).body, "metadata", "resourceVersion");
  await cluster.ask("DELETE", `${maps}/a`);
  const past = await cluster.get(
    `${maps}?labelSelector=test&resourceVersion=${revision}&resourceVersionMatch=Exact`,
  );
  assert.deepEqual(namesOf(past), ["a"]);
  assert.deepEqual(namesOf(await cluster.get(`${maps}?labelSelector=test`)), []);
});
