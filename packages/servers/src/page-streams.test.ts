import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { ApplicationRow } from "@capstan/model";
import { sketchApplication } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import {
  type ApplicationRowsChange,
  type ListOf,
  type PackedRows,
  streamsProtocol,
  unpackRows,
} from "@capstan/wire";
import { WebSocket } from "ws";

const limitMs = 100_000;

/** A page's connection for all of its streams. */
class Connection implements Disposable {
  readonly #socket: WebSocket;
  readonly #waiting: Record<string, unknown>[] = [];
  #wake = Promise.withResolvers<void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      if (String(data) !== "") this.#waiting.push(JSON.parse(String(data)));
      this.#wake.resolve();
    });
    socket.on("close", () => this.#wake.resolve());
  }

  static async open(api: ApiWorld, cookie = `argocd.token=${api.token}`): Promise<Connection> {
    const url = `${api.url.replace(/^http/, "ws")}/api/v1/streams`;
    const socket = new WebSocket(url, [streamsProtocol], { headers: { cookie } });
    const connection = new Connection(socket);
    await once(socket, "open");
    return connection;
  }

  send(ask: object | string): void {
    this.#socket.send(typeof ask === "string" ? ask : JSON.stringify(ask));
  }

  closed = async (): Promise<number> => Number((await once(this.#socket, "close"))[0]);

  /** The next that came. */
  async next(): Promise<Record<string, unknown>> {
    const signal = AbortSignal.timeout(limitMs);
    for (;;) {
      const found = this.#waiting.shift();
      if (found) return found;
      signal.throwIfAborted();
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}

describe("what the page asks for", () => {
  let api: ApiWorld;
  const signal = () => AbortSignal.timeout(limitMs);
  const rowsPath = "/api/v1/stream/application-rows?resourceVersion=";

  before(async () => {
    api = await openApiWorld();
    for (const name of ["one", "two"]) await create(name);
  });
  after(() => api[Symbol.asyncDispose]());

  async function create(name: string): Promise<void> {
    const app = sketchApplication({ name, repoURL: "https://git.invalid/absent.git", path: name });
    const answer = await api.request("POST", "/api/v1/applications?validate=false", { body: app });
    assert.equal(answer.status, 200);
  }

  async function list(query = ""): Promise<{ rows: ApplicationRow[]; version: string; more: string }> {
    const { status, body } = await api.request("GET", `/api/v1/application-rows${query}`);
    assert.equal(status, 200);
    const { items, metadata } = body as ListOf<PackedRows<ApplicationRow>>;
    return {
      rows: (items ?? []).flatMap(unpackRows<ApplicationRow>),
      version: metadata.resourceVersion ?? "",
      more: metadata.continue ?? "",
    };
  }

  const isChange = (value: unknown): value is ApplicationRowsChange =>
    isRecord(value) && typeof value.resourceVersion === "string";

  test("rows come in pages of the server's order", async () => {
    const first = await list("?sort=name&limit=1");
    assert.deepEqual(
      first.rows.map(({ name }) => name),
      ["one"],
    );
    const second = await list(`?sort=name&limit=1&continue=${first.more}`);
    assert.deepEqual(
      second.rows.map(({ name }) => name),
      ["two"],
    );
    assert.equal(second.more, "");
  });

  test("after a list only changes are told, ends too, and each says from where to go on", async () => {
    using page = await Connection.open(api);
    const { version } = await list();
    page.send({ open: 7, url: rowsPath + version });
    assert.deepEqual(await page.next(), { id: 7, opened: true });
    await create("three");
    const rows = new Map<string, ApplicationRow>();
    let last = version;
    const until = async (isThere: boolean) => {
      while (rows.has("argocd/three") !== isThere) {
        const { id, result } = await page.next();
        assert.ok(id === 7 && isChange(result));
        for (const row of result.rows ? unpackRows(result.rows) : [])
          rows.set(`${row.namespace}/${row.name}`, row);
        for (const gone of result.gone ?? []) rows.delete(gone);
        last = result.resourceVersion;
      }
    };
    await until(true);
    assert.equal(rows.get("argocd/three")?.repository, "https://git.invalid/absent.git");
    const between = last;
    await api.request("DELETE", "/api/v1/applications/three?cascade=false");
    await until(false);
    page.send({ close: 7 });
    // Who comes back with an older version hears of the end, and of nothing that he has.
    page.send({ open: 8, url: rowsPath + between });
    assert.deepEqual(await page.next(), { id: 8, opened: true });
    const { result } = await page.next();
    assert.ok(isChange(result));
    assert.deepEqual(result.gone, ["argocd/three"]);
    assert.ok(!result.rows || unpackRows(result.rows).every(({ name }) => name !== "three"));
  });

  test("a version of which nothing is known any more is said to be stale", async () => {
    using page = await Connection.open(api);
    page.send({ open: 1, url: `${rowsPath}1` });
    assert.deepEqual(await page.next(), { id: 1, opened: true });
    assert.deepEqual(await page.next(), { id: 1, result: { stale: true, resourceVersion: "" } });
    assert.deepEqual(await page.next(), { id: 1, ended: true });
  });

  test("streams of one connection are apart: one is refused, another one goes on", async () => {
    using page = await Connection.open(api);
    page.send({
      open: 1,
      url: "/api/v1/stream/applications?name=one&fields=result.application.metadata.name",
    });
    page.send({ open: 2, url: "/api/v1/stream/applications/absent/resource-tree/changes" });
    page.send({ open: 3, url: "/api/v1/applications" });
    const got: Record<string, unknown>[] = [];
    while (got.length < 4) got.push(await page.next());
    const of = (wanted: number) => got.filter(({ id }) => id === wanted);
    assert.deepEqual(of(1), [
      { id: 1, opened: true },
      { id: 1, result: { application: { metadata: { name: "one" } } } },
    ]);
    assert.deepEqual(of(2).map(codeOf), [404]);
    assert.deepEqual(of(3).map(codeOf), [404]);
    await api.world.kube.patch(
      { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name: "one" },
      { type: "merge", body: { metadata: { labels: { mark: "more" } } } },
      { signal: signal() },
    );
    assert.equal((await page.next()).id, 1);
  });

  test("without a session, and with what cannot be read, there is no connection", async () => {
    await assert.rejects(Connection.open(api, ""), /401/);
    for (const bad of [
      "no JSON",
      "[]",
      '{"open":-1,"url":"/"}',
      '{"open":1}',
      `{"open":1,"url":"${"x".repeat(9_000)}"}`,
    ]) {
      using page = await Connection.open(api);
      const closed = page.closed();
      page.send(bad);
      assert.equal(await closed, 1008, bad.slice(0, 40));
    }
  });
});

function codeOf({ error }: Record<string, unknown>): unknown {
  return isRecord(error) ? error.http_code : undefined;
}
