import assert from "node:assert/strict";
import { createServer, type Server } from "node:https";
import { type TestContext, test } from "node:test";
import { listAt, objectAt, textAt } from "../schema/json.ts";
import { createAuthority, createServerCertificate } from "../security/certificates.ts";
import { at, TestCluster } from "../server/test-cluster.ts";
import { isRecord } from "../types.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const v1 = "/apis/example.com/v1/things";
const v2 = "/apis/example.com/v2/things";
const thing = (name: string, version = "v1") => ({
  apiVersion: `example.com/${version}`,
  kind: "Thing",
  metadata: { name },
  spec: { color: "red" },
});

const definition = (clientConfig: object) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "things", kind: "Thing" },
    conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    })),
  },
});

interface Webhook {
  readonly clientConfig: { url: string; caBundle: string };
  /** How many objects each review had. */
  readonly reviews: number[];
}

/** Converts: says in `spec.by` to which version it did so. With `bytes` its answer has so much more in it. */
async function webhook(t: TestContext, { bytes = 0 }: { bytes?: number } = {}): Promise<Webhook> {
  const authority = createAuthority("hook", Date.now());
  const { key, certificate } = createServerCertificate(
    authority,
    { commonName: "hook", names: ["127.0.0.1"] },
    Date.now(),
  );
  const reviews: number[] = [];
  const server: Server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    incoming.on("end", () => {
      const review: unknown = JSON.parse(text);
      const to = textAt(review, "request", "desiredAPIVersion");
      const objects = listAt(review, "request", "objects").filter(isRecord);
      reviews.push(objects.length);
      const convertedObjects = objects.map((object) => ({
        ...object,
        apiVersion: to,
        spec: { ...objectAt(object, "spec"), by: to },
      }));
      const response = {
        uid: textAt(review, "request", "uid"),
        result: { status: "Success" },
        convertedObjects,
        padding: "x".repeat(bytes),
      };
      outgoing.end(
        JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const caBundle = Buffer.from(authority.certificate).toString("base64");
  return { clientConfig: { url: `https://127.0.0.1:${port}/convert`, caBundle }, reviews };
}

async function withThings(t: TestContext, clientConfig: object, count: number): Promise<TestCluster> {
  const cluster = await TestCluster.start(t);
  await cluster.create(definitions, definition(clientConfig));
  for (let index = 0; index < count; index += 1)
    await cluster.create(v1, thing(`t${String(index).padStart(3, "0")}`));
  return cluster;
}

test("a list in another version asks for a hundred objects at a time", async (t) => {
  const { clientConfig, reviews } = await webhook(t);
  const cluster = await withThings(t, clientConfig, 250);
  const { body } = await cluster.get(v2);
  assert.equal(listAt(body, "items").length, 250);
  assert.ok(listAt(body, "items").every((item) => textAt(item, "spec", "by") === "example.com/v2"));
  assert.deepEqual(reviews.toSorted(), [100, 100, 50]);
});

test("a collection that is deleted in another version is answered whole, beyond a hundred objects", async (t) => {
  const { clientConfig } = await webhook(t);
  const cluster = await withThings(t, clientConfig, 130);
  const { body } = await cluster.ask("DELETE", v2);
  assert.equal(listAt(body, "items").length, 130);
  assert.equal(listAt((await cluster.get(v1)).body, "items").length, 0);
});

test("a watch in another version has its events in the order of the changes, bookmarks too", async (t) => {
  const { clientConfig } = await webhook(t);
  const cluster = await withThings(t, clientConfig, 3);
  const watch = await cluster.watch(
    `${v2}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
  );
  await cluster.create(v1, thing("later"));
  await cluster.create(v2, thing("last", "v2"));
  const seen: string[] = [];
  for (let count = 0; count < 6; count += 1) {
    const event = await watch.next();
    seen.push(`${event?.type} ${textAt(event?.object, "metadata", "name")}`);
    assert.equal(textAt(event?.object, "apiVersion"), "example.com/v2");
  }
  assert.deepEqual(seen, [
    "ADDED t000",
    "ADDED t001",
    "ADDED t002",
    "BOOKMARK ",
    "ADDED later",
    "ADDED last",
  ]);
});

test("a webhook whose Service has simulated Pods is not called: only apiVersion changes, and a warning says so", async (t) => {
  const cluster = await withThings(t, { service: { namespace: "default", name: "hook" } }, 1);
  assert.equal((await cluster.get(`${v2}/t000`)).status, 500);
  await cluster.create("/api/v1/namespaces/default/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "hook" },
    spec: { selector: { app: "hook" }, ports: [{ port: 443, targetPort: 8443 }] },
  });
  const { status, headers, body } = await cluster.get(`${v2}/t000`);
  assert.equal(status, 200);
  assert.equal(textAt(body, "spec", "color"), "red");
  assert.match(headers.warning ?? "", /conversion webhook was not called: the Pods of its Service are sim/);
  assert.equal((await cluster.get(`${v1}/t000`)).headers.warning, undefined);
});

test("addresses of this machine and of metadata services, and answers that are too large, are refused", async (t) => {
  const inner = /an address of this machine or of its surroundings alone/;
  const { clientConfig, reviews } = await webhook(t, { bytes: 9 * 1_048_576 });
  const refusals: [object, RegExp][] = [
    [{ url: clientConfig.url }, inner],
    [{ ...clientConfig, url: "https://169.254.169.254/x" }, inner],
    [clientConfig, /larger than|too large|more than/],
  ];
  const cluster = await withThings(t, clientConfig, 1);
  for (const [client, expected] of refusals) {
    await cluster.patch(`${definitions}/things.example.com`, "merge", {
      spec: { conversion: { webhook: { clientConfig: { caBundle: null, ...client } } } },
    });
    const { status, body } = await cluster.get(`${v2}/t000`);
    assert.equal(status, 500);
    assert.match(
      String(at(body, "message")),
      /^conversion webhook for example\.com\/v1, Kind=Thing failed: /,
    );
    assert.match(String(at(body, "message")), expected);
  }
  assert.equal(reviews.length, 1);
  assert.equal((await cluster.get(`${v1}/t000`)).status, 200);
});

test("a definition whose webhook is gone can be deleted with its objects", async (t) => {
  const { clientConfig } = await webhook(t);
  const cluster = await withThings(t, { ...clientConfig, url: "https://127.0.0.1:1/x" }, 2);
  await cluster.ask("DELETE", `${definitions}/things.example.com`);
  await cluster.until(`${definitions}/things.example.com`, ({ status }) => status === 404);
});
