import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { realClock } from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import { runMain } from "../../test-main.ts";

describe("capstan plugin", () => {
  let top: string;
  before(async () => {
    top = await mkdtemp(join(tmpdir(), "capstan-plugin-commands-"));
  });
  after(() => rm(top, { recursive: true, force: true }));

  const signal = (): AbortSignal => AbortSignal.timeout(60_000);

  async function capstan(
    argv: readonly string[],
    more: {
      env?: Record<string, string>;
      signal?: AbortSignal;
      onOut?: (all: string) => void;
      onErr?: (all: string) => void;
    } = {},
  ) {
    const env = { PATH: process.env.PATH, ...more.env };
    const program = { shippedPlugins: async () => builtInPlugins };
    return runMain(argv, { ...more, home: top, env, clock: realClock, program });
  }

  for (const kind of ["typescript", "command"] as const) {
    test(`init, test, describe and render a plugin of kind ${kind}`, async () => {
      const folder = join(top, kind);
      const begun = await capstan(["plugin", "init", folder, "--kind", kind]);
      assert.equal(begun.code, 0, begun.err);
      const again = await capstan(["plugin", "init", folder, "--kind", kind]);
      assert.match(again.err, /is there already/);

      const tested = await capstan(["plugin", "test", folder]);
      assert.equal(tested.code, 0, tested.out + tested.err);
      assert.match(tested.out, /^ok {5}.*hello\n1 of 1 as expected\n$/);
      await writeFile(join(folder, "testdata/hello/source/names.txt"), "grace\n");
      const failing = await capstan(["plugin", "test", folder]);
      assert.equal(failing.code, 1);
      assert.match(
        failing.out,
        /FAILED .*hello\n===== \/ConfigMap \/ada ======\n--- expected\n\+\+\+ made\n/,
      );
      assert.equal((await capstan(["plugin", "test", folder, "--update"])).code, 0);
      assert.match(await readFile(join(folder, "testdata/hello/expected.yaml"), "utf8"), /text: Hello grace/);

      const described = await capstan(["plugin", "describe", folder]);
      assert.match(described.out, /Used unnamed where: +names\.txt\n/);
      assert.match(described.out, /\ngreeting +string +Hello +Written before each name\n/);

      const source = join(folder, "testdata/hello/source");
      const rendered = await capstan(
        ["plugin", "render", "--plugin", folder, "--source", source, "--plugin-parameter", "greeting=Bye"],
        { env: { ARGOCD_APP_NAME: "web" } },
      );
      assert.equal(rendered.code, 0, rendered.err);
      assert.match(rendered.out, /^---\napiVersion: v1\ndata:\n {2}text: Bye grace\n/);
    });
  }

  test("what begins with a plugin.yaml names its schema, which lies beside it", async () => {
    const folder = join(top, "schema");
    await capstan(["plugin", "init", folder, "--kind", "command"]);
    const [first = ""] = (await readFile(join(folder, "plugin.yaml"), "utf8")).split("\n");
    const [, file = ""] = /^# yaml-language-server: \$schema=(\S+)$/.exec(first) ?? [];
    assert.equal(JSON.parse(await readFile(join(folder, file), "utf8")).additionalProperties, false);
  });

  test("what an author throws is told once, with its place", async () => {
    const folder = join(top, "throws");
    await capstan(["plugin", "init", folder, "--name", "throws"]);
    const text = await readFile(join(folder, "plugin.ts"), "utf8");
    const thrown = 'Promise.reject(new PluginError("colour is missing", { file: "names.txt", line: 3 }))';
    const throwing = text
      .replace('read("names.txt")', thrown)
      .replace("{ definePlugin", "{ PluginError, definePlugin");
    await writeFile(join(folder, "plugin.ts"), throwing);
    const source = join(folder, "testdata/hello/source");
    const { err } = await capstan(["plugin", "render", "--plugin", folder, "--source", source]);
    assert.match(err, /^error: plugin throws failed in names\.txt: line 3: colour is missing\n/);
  });

  test("what a sensitive plugin makes is masked where it is shown, and not where it is asked for", async () => {
    const folder = join(top, "seals");
    await capstan(["plugin", "init", folder, "--name", "seals"]);
    const text = await readFile(join(folder, "plugin.ts"), "utf8");
    await writeFile(join(folder, "plugin.ts"), text.replace("inputs:", "sensitive: true, inputs:"));
    const source = join(folder, "testdata/hello/source");
    const shown = await capstan(["plugin", "dev", folder, "--source", source, "--once"]);
    assert.doesNotMatch(shown.out, /Hello ada/);
    assert.match(shown.out, /text: \+{8} \([0-9a-f]{8}\)/);
    assert.equal((await capstan(["plugin", "test", folder])).code, 0);
  });

  test("a plugin that changes manifests gets those of the directory's tool, or stands in its pipeline", async () => {
    const folder = join(top, "marks");
    await capstan(["plugin", "init", folder, "--name", "marks"]);
    await writeFile(
      join(folder, "plugin.ts"),
      `import { definePlugin } from "@capstan/plugin-kit";
export default definePlugin({
  name: "marks",
  transform: (all) => all.map((one) => ({ ...one, metadata: { ...one.metadata, labels: { marked: "yes" } } })),
});
`,
    );
    const source = join(top, "marked");
    await mkdir(join(source, "app"), { recursive: true });
    await writeFile(join(source, "c.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
    const render = ["plugin", "render", "--plugin", folder, "--source", source];
    const alone = await capstan(render);
    assert.match(alone.out, /labels:\n {4}marked: "?yes"?\n {2}name: c\n/, alone.err);
    await writeFile(
      join(source, "app", "capstan.yaml"),
      "apiVersion: capstan.dev/v1alpha1\nkind: Pipeline\nmetadata: {name: p}\n" +
        "spec: {stages: [{plugin: directory, path: inner}, {plugin: marks}]}\n",
    );
    await mkdir(join(source, "app", "inner"));
    await writeFile(
      join(source, "app", "inner", "d.yaml"),
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\n",
    );
    const staged = await capstan([...render, "--path", "app"]);
    assert.match(staged.out, /marked: "?yes"?\n {2}name: d\n$/, staged.err);
  });

  test("the protocol's variables are those of the caller", async () => {
    const folder = join(top, "env");
    await capstan(["plugin", "init", folder, "--kind", "command", "--name", "env"]);
    await writeFile(
      join(folder, "generate.sh"),
      `#!/bin/sh
echo "says $ARGOCD_ENV_WHO" >&2
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"'$ARGOCD_APP_NAME'"},"data":{"v":"'$KUBE_VERSION'"}}'
`,
    );
    const env = { ARGOCD_APP_NAME: "shop", KUBE_VERSION: "1.33.0", ARGOCD_ENV_WHO: "ada" };
    const source = join(folder, "testdata/hello/source");
    const { out, err } = await capstan(
      ["plugin", "render", "--plugin", folder, "--source", source, "-o", "json"],
      { env },
    );
    assert.deepEqual(JSON.parse(out), [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shop" }, data: { v: "1.33.0" } },
    ]);
    assert.match(err, /says ada/);
  });

  test("a built-in tool renders without any plugin", async () => {
    await writeFile(join(top, "kustomization.yaml"), "configMapGenerator: [{name: c, literals: [a=1]}]\n");
    const { code, out } = await capstan(["plugin", "render", "--plugin", "kustomize", "--source", top]);
    assert.equal(code, 0);
    assert.match(out, /kind: ConfigMap\nmetadata:\n {2}name: c-/);
  });

  test("dev shows the diff of each save, of sources and of the plugin, and what is wrong", async () => {
    const folder = join(top, "dev");
    await capstan(["plugin", "init", folder, "--name", "dev"]);
    const source = join(folder, "testdata/hello/source");
    const stop = new AbortController();
    const steps: [RegExp, () => Promise<void>][] = [
      [/✓ start: 1 added/, () => writeFile(join(source, "names.txt"), "ada\ngrace\n")],
      [
        /\+ {2}text: Hello grace\n[^✓]*✓ .*names\.txt: 1 added/,
        async () => {
          const text = await readFile(join(folder, "plugin.ts"), "utf8");
          await writeFile(join(folder, "plugin.ts"), text.replace('"Hello"', '"Bye"'));
        },
      ],
      [
        /\+ {2}text: Bye grace\n[^✓]*✓ .*plugin\.ts.*: 2 changed/,
        () => writeFile(join(folder, "plugin.ts"), "export default {"),
      ],
      [/✕ .*plugin\.ts:\d+/, async () => stop.abort(new Error("enough"))],
    ];
    let from = 0;
    const run = await capstan(["plugin", "dev", folder, "--source", source], {
      signal: AbortSignal.any([stop.signal, signal()]),
      onOut: (all) => {
        const [expected, next] = steps[0] ?? [];
        if (!expected?.test(all.slice(from))) return;
        from = all.length;
        steps.shift();
        // After the watchers stand.
        setTimeout(() => void next?.(), 50);
      },
    });
    assert.equal(steps.length, 0, run.out + run.err);
  });

  test("a case needs of its application what the plugin uses, and a bad one leaves the others", async () => {
    const folder = join(top, "cases");
    await capstan(["plugin", "init", folder, "--name", "cases", "--kind", "command"]);
    const config = await readFile(join(folder, "plugin.yaml"), "utf8");
    const choices = config.replace("string: Hello", "string: Hello\n        choices: [Hello, Bye]");
    await writeFile(join(folder, "plugin.yaml"), choices);
    const script = await readFile(join(folder, "generate.sh"), "utf8");
    await writeFile(
      join(folder, "generate.sh"),
      script.replace("${PARAM_GREETING:-Hello}", "$PARAM_GREETING,$ARGOCD_APP_NAME"),
    );
    const make = async (name: string, application?: string) => {
      const at = join(folder, "testdata", name);
      await mkdir(join(at, "source"), { recursive: true });
      await writeFile(join(at, "source/names.txt"), "ada\n");
      if (application !== undefined)
        await writeFile(join(at, "application.yaml"), `kind: Application\n${application}`);
    };
    const parameters = (text: string) => `spec: {source: {plugin: {parameters: [${text}]}}}\n`;
    await make("bye", parameters("{name: greeting, string: Bye}"));
    await make("choice", parameters("{name: greeting, string: Hi}"));
    await make("odd", "spec: {soruce: {}}\n");
    await make("typo", parameters("{name: greetin, string: x}"));
    const updated = await capstan(["plugin", "test", folder, "--update"]);
    assert.equal(updated.code, 1);
    const problems = updated.out.split("\n").filter((line) => !/^ok /.test(line));
    assert.deepEqual(
      problems.map((line) => line.replace(folder, "")),
      [
        "FAILED /testdata/choice",
        'parameter greeting: "Hi" is none of Hello, Bye',
        "FAILED /testdata/odd",
        "/testdata/odd/application.yaml is invalid: line 2: spec.soruce: is not a field that this version knows; did you mean source?",
        "3 of 5 as expected",
        "",
      ],
    );
    assert.match(updated.err, /warning: cases announces no parameter "greetin"; did you mean greeting\?/);
    const source = ["--source", join(folder, "testdata/hello/source"), "--plugin-parameter"];
    for (const verb of [
      ["render", "--plugin", folder],
      ["dev", folder, "--once"],
    ]) {
      const refused = await capstan(["plugin", ...verb, ...source, "greeting=Hi"]);
      assert.notEqual(refused.code, 0);
      assert.match(refused.out + refused.err, /parameter greeting: "Hi" is none of Hello, Bye/);
      const unknown = await capstan(["plugin", ...verb, ...source, "greetin=Bye"]);
      assert.match(unknown.out + unknown.err, /announces no parameter "greetin"; did you mean greeting\?/);
    }
    const made = (name: string) => readFile(join(folder, "testdata", name, "expected.yaml"), "utf8");
    assert.match(await made("bye"), /text: Bye,bye ada/);
    assert.match(await made("hello"), /text: Hello,hello ada/);
  });

  test("dev goes on after whatever a plugin does, and says what it was", async () => {
    const folder = join(top, "odd");
    await capstan(["plugin", "init", folder, "--name", "odd"]);
    const source = join(folder, "testdata/hello/source");
    const good = await readFile(join(folder, "plugin.ts"), "utf8");
    const instead = (text: string) => () =>
      writeFile(join(folder, "plugin.ts"), good.replace('await read("names.txt")', `${text}, $&`));
    const names = (text: string) => () => writeFile(join(source, "names.txt"), text);
    const stop = new AbortController();
    const hang = '(() => { console.log("round and round"); for (;;); })()';
    const steps: [RegExp, () => Promise<void>][] = [
      [/✓ start: 1 added/, instead('console.log("hello\\nfrom it")')],
      [/plugin \| hello\nplugin \| from it\n(.|\n)*✓ .*: nothing changed/, instead(hang)],
      [/plugin \| round and round/, instead('console.log("fine")')],
      [/✕ .*: given up: there is a newer save\n(.|\n)*✓ .*: nothing changed/, instead("process.exit(3)")],
      [/✕ .*: the plugin's program has ended \(exit code 3\)/, instead("undefined.x")],
      [/✕ .*: plugin odd failed: Cannot read .* \(plugin\.ts:11:\d+\)/, names("ada\nada\n")],
      [/✕ .*names\.txt: plugin odd failed/, instead("0")],
      [/✕ .*: made more than once: ConfigMap ada · 2 manifests/, names("")],
      [/✕ .*: no manifests/, async () => stop.abort(new Error("enough"))],
    ];
    let said = "";
    const hear = (texts: { out?: string; err?: string }, from: { out: number; err: number }) => {
      said += (texts.out ?? "").slice(from.out) + (texts.err ?? "").slice(from.err);
      const [expected, next] = steps[0] ?? [];
      if (!expected?.test(said)) return;
      said = "";
      steps.shift();
      setTimeout(() => void next?.(), 50);
    };
    const heard = { out: 0, err: 0 };
    const run = await capstan(["plugin", "dev", folder, "--source", source], {
      signal: AbortSignal.any([stop.signal, signal()]),
      onOut: (out) => {
        hear({ out }, heard);
        heard.out = out.length;
      },
      onErr: (err) => {
        hear({ err }, heard);
        heard.err = err.length;
      },
    });
    assert.equal(steps.length, 0, `${steps[0]?.[0]}\n${run.out}${run.err}`);
  });

  test("a plugin's program that is ended leaves none of its temporary folders", async () => {
    const [folder, own] = [join(top, "ended"), join(top, "temporary")];
    await mkdir(own);
    assert.equal((await capstan(["plugin", "init", folder, "--kind", "command"])).code, 0);
    const source = join(folder, "testdata/hello/source");
    const run = ["plugin", "dev", folder, "--source", source, "--once"];
    assert.equal((await capstan(run, { env: { TMPDIR: own } })).code, 0);
    assert.deepEqual(await readdir(own), []);
  });

  test("a directory without a plugin says how to begin one", async () => {
    const { code, err } = await capstan(["plugin", "test", join(top, "absent")]);
    assert.equal(code, 1);
    assert.match(err, /testdata holds no directory/);
    const dev = await capstan(["plugin", "dev", join(top, "absent")]);
    assert.match(dev.err, /neither plugin\.ts nor plugin\.yaml; begin one with: capstan plugin init/);
  });
});
