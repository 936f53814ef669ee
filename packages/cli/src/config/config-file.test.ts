import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { realClock } from "@capstan/testkit";
import type { ForwardedPod } from "../io.ts";
import type { Program } from "../program.ts";
import { runMain } from "../test-main.ts";

const text = `contexts:
- {name: one, server: 'one:443', user: one}
- {name: two, server: 'two:8080', user: two, note: of a person}
current-context: one
servers:
- {server: 'one:443', insecure: true, grpc-web: true, grpc-web-root-path: ''}
- {server: 'two:8080', plain-text: true, made-by: hand}
users:
- {name: one, auth-token: token-one, refresh-token: refresh-one}
- {name: two, auth-token: token-two}
theme: dark
`;

describe("the configuration", () => {
  let home: string;
  let file: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-config-"));
    file = join(home, ".config", "argocd", "config");
    await mkdir(join(home, ".config", "argocd"), { recursive: true });
  });
  after(() => rm(home, { recursive: true }));
  beforeEach(() => writeFile(file, text, { mode: 0o600 }));

  const run = (argv: readonly string[], env: Record<string, string> = {}) =>
    runMain(argv, { home, env, clock: realClock });

  test("is where argocd has it", async () => {
    const places: [Record<string, string>, string][] = [
      [{}, file],
      [{ XDG_CONFIG_HOME: join(home, "xdg") }, join(home, "xdg", "argocd", "config")],
      [{ XDG_CONFIG_HOME: "x", ARGOCD_CONFIG_DIR: join(home, "own") }, join(home, "own", "config")],
    ];
    await rm(file);
    for (const [env, path] of places)
      assert.deepEqual(await run(["context"], env), {
        code: 1,
        out: "",
        err: `No contexts defined in ${path}\n`,
      });
    const older = join(home, ".argocd");
    await mkdir(older);
    assert.match((await run(["context"], { XDG_CONFIG_HOME: "x" })).err, /\/\.argocd\/config\n$/);
    await rm(older, { recursive: true });
    assert.match((await run(["context", "--config", "/nowhere"])).err, / in \/nowhere\n$/);
    assert.match((await run(["context"], { ARGOCD_OPTS: "--config /nowhere" })).err, / in \/nowhere\n$/);
  });

  test("is refused with other modes than 0600 and 0400", async () => {
    for (const mode of [0o644, 0o640, 0o700]) {
      await chmod(file, mode);
      const { code, err } = await run(["context"]);
      assert.equal(code, 20);
      assert.match(err, /holds tokens and has the mode 0(644|640|700): run chmod 600 /);
    }
    await chmod(file, 0o400);
    assert.equal((await run(["context"])).code, 0);
    await chmod(file, 0o600);
  });

  test("keeps what is not known, its mode, and the link by which it is reached", async () => {
    const link = join(home, "link");
    await symlink(file, link);
    const switched = await run(["context", "two", "--config", link]);
    assert.deepEqual(switched, { code: 0, out: "Switched to context 'two'\n", err: "" });
    const written = await readFile(file, "utf8");
    for (const kept of [/^theme: dark$/m, /made-by: hand/, /note: of a person/, /refresh-token: refresh-one/])
      assert.match(written, kept);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal((await run(["context", "-"])).out, "Switched to context 'one'\n");
    assert.equal((await run(["context", "one"])).out, "Already at context 'one'\n");
    assert.deepEqual(await run(["context", "three"]), {
      code: 1,
      out: "",
      err: "Context 'three' undefined\n",
    });
  });

  test("a forgotten context takes its server and user along, unless others need them", async () => {
    const both = text.replace("server: 'two:8080', user: two", "server: 'one:443', user: two");
    await writeFile(file, both);
    assert.equal((await run(["context", "one", "--delete"])).out, "Context 'one' deleted\n");
    const written = await readFile(file, "utf8");
    assert.match(written, /server: one:443/);
    assert.doesNotMatch(written, /token-one/);
    assert.equal((await run(["context", "one", "--delete"])).code, 20);
  });

  test("a context whose server or user is missing is an error with its name", async () => {
    await writeFile(file, text.replace("- {name: one, auth", "- {name: other, auth"));
    const { code, err } = await run(["app", "list"]);
    assert.equal(code, 20);
    assert.match(err, /the user "one" of context "one" is missing/);
  });

  test("what goes past the server is refused with what to do", async () => {
    assert.match(
      (await run(["app", "list", "--core"])).err,
      /^--core is not there: Capstan answers by its server/,
    );
    const forwarded = await run(["app", "list"], { ARGOCD_OPTS: "--port-forward --insecure" });
    assert.match(forwarded.err, /^--port-forward wants the whole program .*kubectl port-forward/);
    await writeFile(file, text.replace("grpc-web: true", "core: true"));
    assert.match((await run(["app", "list"])).err, /context "one" of .* goes past the server \(--core\)/);
  });

  test("a server that only the cluster knows is asked through the cluster, with the token kept for that", async () => {
    const through: ForwardedPod[] = [];
    const closed: ForwardedPod[] = [];
    const asked: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      asked.push(headers.authorization);
      response.setHeader("content-type", "application/json").end('{"value":"yes"}');
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const listening = server.address();
    assert.ok(typeof listening === "object" && listening !== null);
    const address = `localhost:${listening.port}`;
    const program: Program = {
      forwardPort: async (to) => {
        through.push(to);
        return { address, [Symbol.asyncDispose]: async () => void closed.push(to) };
      },
    };
    try {
      await writeFile(file, text.replaceAll("two:8080", "port-forward"));
      const canI = (...words: string[]) =>
        runMain(["account", "can-i", "get", "applications", "*", ...words], {
          home,
          clock: realClock,
          program,
        });
      const flags = ["--port-forward-namespace", "tools", "--kube-context", "far"];
      assert.deepEqual(await canI(...flags, "--server-name", "own"), { code: 0, out: "yes\n", err: "" });
      assert.equal((await canI("--argocd-context", "two")).code, 0);
      assert.deepEqual(through, [
        { namespace: "tools", context: "far", serverName: "own" },
        { namespace: undefined, context: undefined, serverName: undefined },
      ]);
      assert.deepEqual([asked, closed], [["Bearer token-two", "Bearer token-two"], through]);
    } finally {
      server.close();
    }
  });

  test("the session's token is printed for scripts", async () => {
    assert.deepEqual(await run(["account", "session-token"]), { code: 0, out: "token-one\n", err: "" });
    await rm(file);
    const { code, err } = await run(["account", "session-token", "--server", "one:443"]);
    assert.deepEqual([code, err.includes("there is no session")], [1, true]);
  });

  test("ARGOCD_OPTS gives global flags, with quotes as in a shell; what it cannot give is said", async () => {
    const asked = await run(["context"], { ARGOCD_OPTS: `--config='${home}/a b' --prune --loglevel debug` });
    assert.match(
      asked.err,
      /^warning: ARGOCD_OPTS: --prune is no global flag and has no effect\n.*\/a b\n$/s,
    );
    assert.match((await run(["context"], { ARGOCD_OPTS: "config" })).err, /"config" stands behind no flag/);
    assert.match((await run(["context"], { ARGOCD_OPTS: "--config 'a" })).err, /' is not closed/);
  });

  test("an error is a line of JSON for whoever asks for it", async () => {
    const { code, err } = await run(["context", "three", "--logformat", "json"]);
    assert.equal(code, 1);
    const { level, msg } = JSON.parse(err);
    assert.deepEqual({ level, msg }, { level: "fatal", msg: "Context 'three' undefined" });
  });

  test("questions that are optional are asked when configured", async () => {
    assert.equal(
      (await run(["configure", "--prompts-enabled"])).out,
      "Successfully updated the following configuration settings:\nprompts-enabled: true\n",
    );
    assert.match(await readFile(file, "utf8"), /prompts-enabled: true/);
    assert.match((await run(["logout", "one"])).err, /no terminal to ask at: "Are you sure/);
  });
});
