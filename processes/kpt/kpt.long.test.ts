import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const top = mkdtempSync(join(tmpdir(), "capstan-kpt-"));
after(() => rmSync(top, { recursive: true, force: true }));

let count = 0;

function folder(files: Record<string, string>): string {
  const root = join(top, `pkg${count++}`);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

function kpt(
  args: readonly string[],
  { cwd = top, input = "", env = {} }: { cwd?: string; input?: string; env?: Record<string, string> } = {},
) {
  // No container runtime, whatever the machine has.
  const own = { PATH: join(top, "bin"), HOME: top, ...env };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "kpt", ...args], {
    cwd,
    input,
    env: own,
    encoding: "utf8",
    timeout: 100_000,
  });
  return { status, stdout, stderr };
}

const kptfile =
  "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\npipeline:\n  mutators:\n    - image: set-labels:v0.2.0\n      configMap:\n        tier: web\n";
const map = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one # the name\n";
const read = (root: string, path: string): string => readFileSync(join(root, path), "utf8");

test("fn render changes the package and notes what it did", () => {
  const root = folder({ Kptfile: kptfile, "one.yaml": map, "notes.txt": "kept" });
  const { status, stderr, stdout } = kpt([
    "fn",
    "render",
    root,
    "--results-dir",
    join(root, "results"),
    "--truncate-output=false",
  ]);
  assert.equal(status, 0, stderr);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    /\[PASS\] "ghcr\.io\/kptdev\/krm-functions-catalog\/set-labels:v0\.2\.0" in .*\n {2}\[Results\]:\n {4}\[info\]: set 2 labels in total/,
  );
  assert.match(
    stderr,
    /Successfully executed 1 function\(s\) in 1 package\(s\)\.\nFor complete results, see .*results\.yaml/,
  );
  assert.equal(read(root, "one.yaml"), `${map}  labels:\n    tier: web\n`);
  assert.match(read(root, "Kptfile"), /reason: RenderSuccess/);
  assert.match(read(root, "results/results.yaml"), /kind: FunctionResultList/);
  assert.equal(read(root, "notes.txt"), "kept");
});

test("with -o the package stays as it is", () => {
  const root = folder({ Kptfile: kptfile, "one.yaml": map });
  const unwrapped = kpt(["render", "-o", "unwrap"], { cwd: root });
  assert.equal(unwrapped.stdout.split("---\n")[1], `${map}  labels:\n    tier: web\n`);
  assert.match(
    kpt(["fn", "render", root, "--output=stdout"]).stdout,
    /^apiVersion: config\.kubernetes\.io\/v1\nkind: ResourceList\nitems:\n/,
  );
  const out = join(top, "rendered");
  assert.equal(kpt(["fn", "render", root, "-o", out]).status, 0);
  assert.match(read(out, "one.yaml"), /tier: web/);
  const again = kpt(["fn", "render", root, "-o", out]);
  assert.equal(again.status, 1);
  assert.match(again.stderr, /already exists, please delete the directory and retry/);
  assert.equal(read(root, "one.yaml"), map);
  assert.equal(read(root, "Kptfile"), kptfile);
});

test("fn eval runs one function on the whole tree, or on a stream", () => {
  const root = folder({ "one.yaml": map, "sub/Kptfile": kptfile, "sub/two.yaml": map.replace("one", "two") });
  const { status, stderr } = kpt([
    "fn",
    "eval",
    root,
    "-i",
    "set-namespace:v0.4.1",
    "--match-name",
    "two",
    "--",
    "namespace=team",
  ]);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /on 1 resource\(s\)/);
  assert.equal(read(root, "one.yaml"), map);
  assert.match(read(root, "sub/two.yaml"), /namespace: team/);
  const list = kpt(["fn", "render", folder({ Kptfile: kptfile, "one.yaml": map }), "-o", "stdout"]).stdout;
  const piped = kpt(["fn", "eval", "-", "-i", "set-annotations", "--", "a=b"], { input: list });
  assert.match(piped.stdout, /a: b/);
});

test("fn eval --save writes the function into the Kptfile, once", () => {
  const root = folder({ Kptfile: kptfile, "one.yaml": map });
  for (const value of ["x", "y"]) {
    const { status, stderr } = kpt([
      "fn",
      "eval",
      root,
      "-i",
      "set-annotations:v0.1.4",
      "-s",
      "-t",
      "mutator",
      "--",
      `a=${value}`,
    ]);
    assert.equal(status, 0, stderr);
  }
  assert.equal(read(root, "Kptfile").match(/set-annotations:v0\.1\.4/g)?.length, 1);
  assert.match(read(root, "Kptfile"), /configMap:\n {8}a: "?y/);
});

test("programs run only with --allow-exec, their results are told and their failure is ours", () => {
  mkdirSync(join(top, "bin"), { recursive: true });
  const script = join(top, "bin", "shape");
  writeFileSync(
    script,
    `#!${process.execPath}\nconst chunks = [];\nprocess.stdin.on("data", (c) => chunks.push(c)).on("end", () => { process.stdout.write(Buffer.concat(chunks) + "results:\\n- message: looked\\n  severity: info\\n"); process.stderr.write("told\\n"); process.exitCode = Number(process.argv[2] ?? 0); });\n`,
  );
  chmodSync(script, 0o755);
  const root = folder({ Kptfile: kptfile.replace(/- image.*web\n/s, '- exec: "shape"\n'), "one.yaml": map });
  assert.match(kpt(["fn", "render", root]).stderr, /Error: must run with `--allow-exec` option/);
  const allowed = kpt(["fn", "render", root, "--allow-exec"]);
  assert.equal(allowed.status, 0, allowed.stderr);
  assert.match(
    allowed.stderr,
    /\[PASS\] "shape" in .*\n {2}\[Results\]:\n {4}\[info\]: looked\n {2}Stderr:\n {4}told/,
  );
  assert.equal(read(root, "one.yaml"), map);
  const failing = kpt(["fn", "eval", root, "--exec", "shape 7"]);
  assert.equal(failing.status, 1);
  assert.match(failing.stderr, /Exit code: 7/);
});

test("render-helm-chart renders a chart of the folder into files, once", () => {
  const root = folder({
    Kptfile:
      "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\npipeline:\n  mutators:\n    - image: render-helm-chart:v0.2.2\n      configMap: {name: lamp, releaseName: my}\n",
    ".krmignore": "tmp\n",
    "tmp/charts/lamp/Chart.yaml": "apiVersion: v2\nname: lamp\nversion: 1.0.0\n",
    "tmp/charts/lamp/templates/map.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-lamp\n",
  });
  const { PATH = "", HOME = top, CAPSTAN_CACHE } = process.env;
  const env = { PATH, HOME, ...(CAPSTAN_CACHE === undefined ? {} : { CAPSTAN_CACHE }) };
  const rendered =
    "# Source: lamp/templates/map.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: my-lamp\n";
  for (const time of ["first", "second"]) {
    const { status, stderr } = kpt(["fn", "render", root], { env });
    assert.equal(status, 0, `${time}: ${stderr}`);
    assert.equal(read(root, "configmap_my-lamp.yaml"), rendered, time);
  }
  const args = ["name=far", "repo=https://charts.example.com", "version=1.0.0"];
  const { status, stderr } = kpt(["fn", "eval", root, "-i", "render-helm-chart", "--", ...args], { env });
  assert.equal(status, 1);
  assert.match(stderr, /chart "far" is not in "tmp\/charts" of the package: the network is not allowed/);
});

const noPs = spawnSync("ps").error ? "ps is not installed" : false;

test("Ctrl-C ends the functions too, with 130", { skip: noPs }, async () => {
  mkdirSync(join(top, "bin"), { recursive: true });
  const script = join(top, "bin", "hang");
  writeFileSync(
    script,
    `#!${process.execPath}\nrequire("node:fs").writeFileSync(${JSON.stringify(join(top, "hanging"))}, String(process.pid));\nsetInterval(() => {}, 1000);\n`,
  );
  chmodSync(script, 0o755);
  const root = folder({ Kptfile: kptfile.replace(/- image.*web\n/s, '- exec: "hang"\n'), "one.yaml": map });
  const child = spawn(process.execPath, [program, "kpt", "render", root, "--allow-exec"], {
    env: { ...process.env, PATH: `${join(top, "bin")}:${process.env.PATH}` },
    timeout: 100_000,
  });
  let told = "";
  child.stderr.on("data", (chunk) => {
    told += chunk;
  });
  for (let tries = 0; tries < 1000 && !existsSync(join(top, "hanging")); tries += 1) await sleep(50);
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  assert.equal(code, 130, told);
  assert.match(told, /interrupted\n$/);
  const state = () =>
    spawnSync("ps", ["-o", "stat=", "-p", readFileSync(join(top, "hanging"), "utf8")], { encoding: "utf8" })
      .stdout;
  for (let tries = 0; tries < 200 && !/^(Z|$)/.test(state()); tries += 1) await sleep(50);
  // What nobody has asked after yet is still listed.
  assert.match(state(), /^(Z|$)/);
});

test("flags are read as kpt's are: switches with a value, and none that takes the folder for one", () => {
  const root = folder({ Kptfile: kptfile, "one.yaml": map });
  const args = ["functions", "render", "--truncate-output", root, "--allow-network=false", "-o", "unwrap"];
  const { status, stdout, stderr } = kpt(args);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /tier: web/);
  assert.match(kpt(["version"]).stdout, /^kpt \S+ \(capstan\)\n$/);
  assert.match(kpt(["fn", "sink", "--help"]).stdout, /^Write the files .*\n\nUsage: kpt fn sink DIR\n/);
});

test("a shell completes commands, flags and what they take", () => {
  const complete = (...words: string[]) => {
    const { stdout } = spawnSync(process.execPath, [program, "__complete", "--", ...words], {
      encoding: "utf8",
      timeout: 100_000,
    });
    return stdout.split("\n").map((line) => line.split("\t")[0]);
  };
  assert.deepEqual(complete("kp"), ["kpt", ""]);
  assert.deepEqual(complete("kpt", "fn", ""), ["render", "eval", "source", "sink", ""]);
  assert.deepEqual(complete("kpt", "render", "--allow-n"), ["--allow-network", ""]);
  assert.deepEqual(complete("kpt", "eval", "-t", ""), ["mutator", "validator", ""]);
});

test("what cannot be is said with what to do", () => {
  const wrong: [args: string[], message: RegExp][] = [
    [["fn", "render", join(top, "nowhere")], /ENOENT|no such file/],
    [["fn", "render", folder({ "one.yaml": map })], /No Kptfile found at/],
    [["fn", "eval", top, "--exec", "x", "-e", "A"], /can only be used with container functions/],
    [["fn", "render", top, "--image-pull-policy", "Sometimes"], /none of Always, IfNotPresent, Never/],
    [["fn", "source", top, "-o", "out"], /invalid input for --output flag "out"/],
    [["fn", "sink"], /name the folder/],
    [["fn", "eval", top], /^error: must specify --image or --exec\n/],
    [["fn", "eval", top, "-i", "nobody-knows"], /nobody-knows:latest" is not one of those that run here/],
    [
      ["fn", "eval", top, "-i", "fix", "--include-meta-resources"],
      /meta resources are now included by default/,
    ],
    [
      ["fn", "eval", top, "-i", "set-labels", "--", "a"],
      /must have keys and values|"a" has not|unknown FunctionConfig/,
    ],
    [["pkg", "get"], /^error: unknown command: kpt pkg; get and update .* git/],
    [["live", "apply"], /unknown command: kpt live; an application \(capstan app create\)/],
    [
      ["fn", "render", "--alow-exec"],
      /unknown flag: --alow-exec; did you mean --allow-exec\?\nSee kpt fn render --help/,
    ],
    [["fn", "eval", top, "-i", "x", "-t", "both"], /--type: "both" is none of mutator, validator/],
  ];
  for (const [args, message] of wrong) {
    const { status, stderr } = kpt(args);
    assert.equal(status, 1, args.join(" "));
    assert.match(stderr, message);
  }
  assert.equal(kpt(["--help"]).status, 0);
  assert.ok(!existsSync(join(top, "nowhere")));
});
