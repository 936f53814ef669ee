import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { failsWith, noSignal, startWorld } from "@capstan/testkit/render-world";
import { pack } from "tar-stream";

async function archive(files: Record<string, string>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, content);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

function chartFiles(version: string): Record<string, string> {
  return {
    "web/Chart.yaml": `apiVersion: v2\nname: web\nversion: ${version}\n`,
    "web/values.yaml": "key: default\n",
    "web/templates/a.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\ndata: {key: '{{ .Values.key }}', version: '{{ .Chart.Version }}'}\n",
  };
}

/** A Helm repository with charts of the versions, which wants a password. */
async function startHelmRepository(
  versions: readonly string[],
): Promise<{ url: string; asked: string[]; server: Server }> {
  const archives = new Map<string, Buffer>();
  for (const version of versions)
    archives.set(`/charts/web-${version}.tgz`, await archive(chartFiles(version)));
  archives.set("/charts/bad-1.0.0.tgz", await archive({ "../../escape.yaml": "x" }));
  const entry = (name: string, version: string, digest?: string) =>
    `  - {name: ${name}, version: ${version}, created: "2026-01-01T00:00:00Z", description: A chart, urls: [charts/${name}-${version}.tgz]${digest ? `, digest: ${digest}` : ""}}\n`;
  const digestOf = (version: string) =>
    hash("sha256", archives.get(`/charts/web-${version}.tgz`) ?? "", "hex");
  const index = `apiVersion: v1\nentries:\n  web:\n${versions.map((version) => entry("web", version, digestOf(version))).join("")}  forged:\n${entry("web", versions[0] ?? "", "a".repeat(64))}  bad:\n${entry("bad", "1.0.0")}`;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    if (request.headers.authorization !== `Basic ${Buffer.from("ada:secret").toString("base64")}`)
      response.writeHead(401).end();
    else if (path === "/index.yaml") response.end(index);
    else if (archives.has(path)) response.end(archives.get(path));
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: addressOf(server), asked, server };
}

function addressOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

test("charts of a Helm repository: versions, constraints, values, caches and what can go wrong", async (t) => {
  await using world = await startWorld();
  const { url, asked, server } = await startHelmRepository(["1.0.0", "1.2.0", "2.0.0-rc.1"]);
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const repository = { url, type: "helm", username: "ada", password: "secret" } as const;
  const source = (chart: string, targetRevision: string) => ({ repoURL: url, chart, targetRevision });
  const render = (chart: string, targetRevision: string) =>
    world.render(
      { ...source(chart, targetRevision), helm: { parameters: [{ name: "key", value: "set" }] } },
      { repository },
    );

  await t.test("a version is a pin, a constraint takes the highest", async () => {
    assert.equal((await render("web", "1.0.0")).manifests[0]?.manifest.data !== undefined, true);
    const { revision, manifests, sourceType } = await render("web", "1.x");
    assert.equal(revision, "1.2.0");
    assert.deepEqual(manifests[0]?.manifest.data, { key: "set", version: "1.2.0" });
    assert.equal(sourceType, "Helm");
  });

  await t.test("the index is asked for once and each archive once", async () => {
    await render("web", "*");
    assert.equal(asked.filter((path) => path === "/index.yaml").length, 1);
    assert.equal(asked.filter((path) => path === "/charts/web-1.2.0.tgz").length, 1);
  });

  await t.test("what a version stands for is the digest that the index gives", async () => {
    const request = world.request(source("web", "1.x"), { repository });
    const { meaning = "" } = await world.server.resolveRevision(request, noSignal);
    assert.match(meaning, /^sha256:[0-9a-f]{64}$/);
  });

  await t.test("an unknown chart and an unknown version are named with what there is", async () => {
    await assert.rejects(render("gone", "1.0.0"), failsWith({ code: "CHART_MISSING", chart: "gone" }));
    await assert.rejects(
      render("web", "3.x"),
      failsWith({ code: "VERSION_MISSING", constraint: "3.x" }, /available versions: 1\.0\.0, 1\.2\.0/),
    );
  });

  await t.test(
    "an archive that is not what the index says, or that writes elsewhere, is refused",
    async () => {
      await assert.rejects(
        render("forged", "1.0.0"),
        failsWith({ code: "FAILED_PRECONDITION" }, /does not match the digest/),
      );
      await assert.rejects(render("bad", "1.0.0"), failsWith({ code: "PATH_OUTSIDE" }));
    },
  );

  await t.test("an archive on another host gets the credentials only with passCredentials", async () => {
    const elsewhere: (string | undefined)[] = [];
    const bytes = await archive(chartFiles("9.0.0"));
    const other = createServer((request, response) => {
      elsewhere.push(request.headers.authorization);
      response.end(bytes);
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    const index = createServer((_request, response) =>
      response.end(
        `entries:\n  web:\n  - {name: web, version: 9.0.0, urls: ["${addressOf(other)}/web.tgz"]}\n`,
      ),
    ).listen(0, "127.0.0.1");
    await once(index, "listening");
    t.after(() => {
      for (const one of [other, index]) one.close();
      for (const one of [other, index]) one.closeAllConnections();
    });
    const source = { repoURL: addressOf(index), chart: "web", targetRevision: "9.0.0" };
    for (const passCredentials of [false, true]) {
      await using fresh = await startWorld();
      const credentials = { ...repository, url: addressOf(index) };
      await fresh.render({ ...source, helm: { passCredentials } }, { repository: credentials });
    }
    assert.deepEqual(elsewhere, [undefined, `Basic ${Buffer.from("ada:secret").toString("base64")}`]);
    await using inheriting = await startWorld();
    const template = { ...repository, url: addressOf(index), inheritedCreds: true };
    await inheriting.render({ ...source, helm: { passCredentials: true } }, { repository: template });
    assert.equal(elsewhere[2], undefined);
  });

  await t.test(
    "a redirect to another host, and from there on, gets no credentials, passCredentials or not",
    async () => {
      const seen: (string | undefined)[] = [];
      const other = createServer((request, response) => {
        seen.push(request.headers.authorization);
        response.writeHead(404).end();
      }).listen(0, "127.0.0.1");
      await once(other, "listening");
      const index = createServer((request, response) => {
        response.writeHead(302, { location: `${addressOf(other)}${request.url}` }).end();
      }).listen(0, "127.0.0.1");
      await once(index, "listening");
      t.after(() => {
        for (const one of [other, index]) one.close();
        for (const one of [other, index]) one.closeAllConnections();
      });
      const credentials = { ...repository, url: addressOf(index) };
      const source = { repoURL: addressOf(index), chart: "web", targetRevision: "9.0.0" };
      await assert.rejects(
        world.render({ ...source, helm: { passCredentials: true } }, { repository: credentials }),
      );
      assert.deepEqual(seen, [undefined]);
    },
  );

  await t.test("credentials are needed and told apart from absence", async () => {
    await world.server.testRepository({ repository }, noSignal);
    await assert.rejects(
      world.server.testRepository({ repository: { url, type: "helm" } }, noSignal),
      failsWith({ code: "REPOSITORY_AUTH" }),
    );
    await assert.rejects(
      world.server.testRepository({ repository: { ...repository, url: `${url}/elsewhere` } }, noSignal),
      failsWith({ code: "REPOSITORY_MISSING" }),
    );
  });
});
