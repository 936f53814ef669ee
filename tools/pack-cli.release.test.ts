/** The packed command line alone, installed by npm into an empty folder, by the oldest Node that it is for and by this one. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { type CapstanProcess, startCapstan } from "@capstan/testkit";
import { commands } from "../packages/cli/src/commands.ts";
import { commands as programs } from "../processes/commands.ts";

const whole = join(import.meta.dirname, "..", "bin", "capstan.js");
const limitMs = 300_000;
const unreachable = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED)\b/;
const callsAtOnce = 4;
const mostBytes = 20 * 2 ** 20;
const refusal =
  /^\S.* is not in capstan-cli, which is the command line alone: npm i capstan-\S+\.tgz brings .*\n$/;

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: object } = {},
): Promise<Said> {
  const env = { ...process.env, ...options.env };
  return new Promise((answer) => {
    execFile(program, args, { timeout: limitMs, cwd: options.cwd, env }, (error, out, err) =>
      answer({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, out, err }),
    );
  });
}

describe("the command line alone", () => {
  let folder: string;
  let why: string | undefined;
  let capstan: CapstanProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-cli-"));
    const packed = await run(process.execPath, ["tools/pack.ts", "--to", folder]);
    assert.equal(packed.code, 0, packed.err);
    await npmInstall("project", join(folder, "capstan-cli-0.1.0.tgz"));
    await npmInstall("node-20", `node-${process.platform}-${process.arch}@20`);
    capstan = await startCapstan();
  });
  after(async () => {
    await capstan?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function npmInstall(name: string, what: string): Promise<void> {
    const cwd = join(folder, name);
    await mkdir(cwd);
    const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--prefix", cwd];
    const { code, err } = await run("npm", ["install", ...flags, what], { cwd });
    if (code !== 0 && unreachable.test(err)) why = `npm reaches no registry: ${err.slice(0, 200)}`;
    else assert.equal(code, 0, err);
  }

  const nodeOf = (version: string): string =>
    version === "20"
      ? join(folder, "node-20", "node_modules", `node-${process.platform}-${process.arch}`, "bin")
      : dirname(process.execPath);

  /** As a job's shell starts it: by the link that npm made, with that Node first on PATH, in a home of its own. */
  function calls(version: string) {
    const home = join(folder, `home-${version}`);
    const env = { PATH: nodeOf(version) + delimiter + process.env.PATH, HOME: home, CAPSTAN_DATA: home };
    const program = join(folder, "project", "node_modules", ".bin", "capstan");
    return { home, env, program, cli: (...args: string[]) => run(program, args, { env }) };
  }

  test("it is one package without another, with nothing of one machine, under 20 MB", async (t) => {
    if (why !== undefined) return t.skip(why);
    const modules = join(folder, "project", "node_modules");
    const installed = (await readdir(modules)).filter((name) => !name.startsWith("."));
    assert.deepEqual(installed, ["capstan-cli"]);
    let bytes = 0;
    for (const one of await readdir(join(modules, "capstan-cli"), { recursive: true, withFileTypes: true })) {
      assert.doesNotMatch(one.name, /\.(?:node|wasm|so)$/);
      if (one.isFile()) bytes += (await stat(join(one.parentPath, one.name))).size;
    }
    const { size } = await stat(join(folder, "capstan-cli-0.1.0.tgz"));
    t.diagnostic(`packed ${(size / 1e6).toFixed(2)} MB, installed ${(bytes / 1e6).toFixed(2)} MB`);
    assert.ok(bytes < mostBytes, `${bytes} bytes`);
    const { dependencies } = JSON.parse(await readFile(join(modules, "capstan-cli", "package.json"), "utf8"));
    assert.equal(dependencies, undefined);
  });

  for (const version of ["20", process.versions.node])
    describe(`by Node ${version}`, () => {
      test("it logs in and lists applications; what argocd's own file says is enough for it", async (t) => {
        if (why !== undefined) return t.skip(why);
        const { home, env, program, cli } = calls(version);
        await mkdir(home, { recursive: true });
        const { host } = new URL(capstan.url);
        const password = (await readFile(join(capstan.dataDir, "admin-password"), "utf8")).trim();
        const account = ["--username", "admin", "--password", password];
        for (const way of ["--plaintext", "--insecure"]) {
          const login = await cli("login", host, ...account, way);
          assert.equal(login.code, 0, login.err);
          const listed = await cli("app", "list", "-o", "name");
          assert.match(listed.out, /^argocd\/\w+\n/, listed.err);
          assert.equal(
            listed.out,
            (await run(process.execPath, [whole, "app", "list", "-o", "name"], { env })).out,
          );
        }
        const file = join(home, "config");
        const loggedIn = await run(process.execPath, [
          whole,
          "login",
          host,
          ...account,
          "--plaintext",
          "--config",
          file,
        ]);
        assert.equal(loggedIn.code, 0, loggedIn.err);
        const table = await cli("app", "list", "--config", file);
        assert.match(table.out, /^NAME +CLUSTER +NAMESPACE +PROJECT/, table.err);
        const versions = await cli("version", "--config", file);
        assert.match(versions.out, /^capstan: v0\.1\.0\n[\s\S]*capstan-server: 0\.1\.0\n/, versions.err);
        const backup = await cli("admin", "export", "--kubeconfig", capstan.status.kubeconfig);
        assert.match(backup.out, /^kind: Application$/m, backup.err);
        await tellStartTimes(t, { env, program });
      });

      test("every command is loaded and shows its help, or says in one sentence what has it", async (t) => {
        if (why !== undefined) return t.skip(why);
        const { cli } = calls(version);
        const left: string[] = [];
        const names = [...commands, ...programs].map(({ name }) => name);
        for (let at = 0; at < names.length; at += callsAtOnce)
          await Promise.all(
            names.slice(at, at + callsAtOnce).map(async (name) => {
              const { code, out, err } = await cli(...name.split(" "), "--help");
              if (code === 0) assert.match(out, /\n\nUsage: /, name);
              else {
                assert.match(err, refusal, name);
                left.push(name);
              }
            }),
          );
        assert.ok(
          ["up", "install", "plugin render", "kubectl"].every((one) => left.includes(one)),
          left.join(),
        );
        assert.ok(!left.some((one) => /^(?:app|appset|proj|repo|cluster|account) /.test(one)), left.join());
        const app = (await cli("app", "list", "-o", "name")).out.split("\n")[0] ?? "";
        assert.match((await cli("app", "manifests", app, "--local", folder)).err, refusal);
      });
    });
});

/** Of the processor, as the shell counts its children's; printed, not judged. */
async function tellStartTimes(
  t: TestContext,
  { env, program }: { env: object; program: string },
): Promise<void> {
  for (const words of ["version --client", "app list --help", "app list -o name"]) {
    const runs: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const script = `"$0" ${words} > /dev/null; times`;
      const { out } = await run("sh", ["-c", script, program], { env });
      const [, children = ""] = out.trim().split("\n");
      runs.push(
        [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
          (sum, [, m, s]) => sum + 60 * Number(m) + Number(s),
          0,
        ),
      );
    }
    t.diagnostic(`capstan ${words}: ${Math.round(1000 * Math.min(...runs))} ms of CPU time`);
  }
}
