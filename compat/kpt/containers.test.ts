/** Functions of kpt's catalog in containers of podman and docker, beside the same programs run here and those in process. */
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { kpt } from "@capstan/plugin-kpt";
import { evalKptFolder } from "@capstan/plugin-kpt/folders";
import { createRepoServer } from "@capstan/render";
import {
  type ContainerRuntime,
  createGitRepository,
  eventually,
  lacking,
  lackingOciRegistry,
  type OciRegistry,
  openContainerRuntime,
  realClock,
  realProgramPath,
  startOciRegistry,
  writeImageRoot,
} from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import { kptGaps } from "../known-gaps.ts";
import { evaluateCase } from "./evaluate-case.ts";
import { type FunctionCase, functionCases } from "./function-cases.ts";
import { pushImage } from "./push-image.ts";

/** One of each function; all of one. */
const cases = functionCases.filter(
  (one, index) =>
    one.function === "set-namespace" ||
    functionCases.findIndex((other) => other.function === one.function) === index,
);
const functions = [...new Set(cases.map((one) => one.function))];
const programs = lackingOciRegistry() || lacking("crane", "opa", ...functions.map((name) => `kpt-${name}`));
const local = "localhost/capstan-test";
const limitMs = 60_000;
const shellTools = ["sh", "cat", "grep", "head", "id", "ls", "sleep", "tail", "touch"];

const top = await mkdtemp(join(tmpdir(), "capstan-kpt-containers-"));
// podman leaves a file "oom" where it stands when a container has had its memory.
process.chdir(top);
const registry: OciRegistry | undefined = programs ? undefined : await startOciRegistry();
const opened: ContainerRuntime[] = [];
after(async () => {
  for (const runtime of opened) await runtime[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
  process.chdir(tmpdir());
  await rm(top, { recursive: true, force: true, maxRetries: 5 });
});

/** What it may, and what it is given, on standard error; its input unchanged. */
const look = `#!/bin/sh
list=$(cat)
{ id -u; grep NoNewPrivs /proc/self/status; ls /sys/class/net; echo "$GREETING $HERE $SECRET."; } >&2
[ ! -e /data ] || { cat /data/given; touch /data/made; } >&2
printf '%s\\n' "$list"
`;
const greedy = `#!/bin/sh
list=$(cat)
head -c 200M /dev/zero | tail -c 150M > /dev/null || exit 137
printf '%s\\n' "$list"
`;
const endless = `#!/bin/sh
trap '' TERM
cat > /dev/null
while :; do sleep 1; done
`;

async function layScript(name: string, script: string): Promise<string> {
  const root = join(top, name);
  await writeImageRoot(root, Object.fromEntries(shellTools.map((tool) => [tool, `/usr/bin/${tool}`])));
  await writeFile(join(root, "bin/function"), script, { mode: 0o755 });
  return root;
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map\n  namespace: old\n";
const everything = {
  ...{ apiVersion: "", kind: "", name: "", namespace: "" },
  labels: new Map<string, string>(),
  annotations: new Map<string, string>(),
};
const usual = { pull: "missing" as const, mounts: [], env: [], user: "nobody" };

interface Call {
  env: Readonly<Record<string, string>>;
  containers?: Partial<Parameters<typeof evalKptFolder>[0]["containers"]>;
  allowNetwork?: boolean;
  signal?: AbortSignal;
}

async function evaluate(image: string, { env, containers = {}, allowNetwork = false, signal }: Call) {
  const root = await mkdtemp(join(top, "package-"));
  await writeFile(join(root, "map.yaml"), configMap);
  const said: string[] = [];
  const request = {
    ...{ directory: root, output: "", resultsDir: "", imagePrefix: undefined, image, exec: "", tag: "" },
    ...{ allowExec: false, allowNetwork, type: "mutator" as const, save: false, fnConfig: "", args: [] },
    ...{ match: everything, exclude: everything, containers: { ...usual, ...containers } },
  };
  const exitCode = await evalKptFolder(request, {
    ...{ clock: realClock, signal: signal ?? AbortSignal.timeout(limitMs), env },
    ...{ out: () => undefined, err: (text: string) => void said.push(text), readInput: async () => "" },
  });
  assert.equal(await readFile(join(root, "map.yaml"), "utf8"), configMap);
  return { exitCode, said: said.join("") };
}

for (const name of ["podman", "docker"] as const) {
  const found = programs || (await openContainerRuntime(name, { insecureRegistry: registry?.host ?? "" }));
  if (typeof found === "string" || "absent" in found) {
    const reason = typeof found === "string" ? found : found.absent;
    test(`functions in containers of ${name}`, { skip: reason }, () => undefined);
  } else {
    opened.push(found);
    testRuntime(found);
  }
}

function testRuntime(runtime: ContainerRuntime): void {
  const { name } = runtime;
  const env = { ...runtime.env, KRM_FN_RUNTIME: name, SECRET: "s3cret", HERE: "here" };
  const about = (fact: string): string => `${name}: ${fact}`;
  before(async () => {
    for (const one of functions) {
      const root = join(top, `${name}-${one}`);
      await writeImageRoot(root, { fn: realProgramPath(`kpt-${one}`) });
      await runtime.createImage(`${local}/${one}:v1`, root, ['ENTRYPOINT ["/bin/fn"]']);
    }
    for (const [image, script] of Object.entries({ look, greedy, endless })) {
      const changes = ['ENTRYPOINT ["/bin/function"]', "ENV GREETING=hello"];
      await runtime.createImage(`${local}/${image}:v1`, await layScript(`${name}-${image}`, script), changes);
    }
  });

  for (const one of cases)
    test(about(`${one.name}, in a container as in process`), async () => {
      const contained = await evaluateCase(one, {
        ...{ top, env, exec: "", image: `${local}/${one.function}:v1` },
      });
      await checkBeside(one, contained);
    });

  test(about("a function is nobody, without a network, a privilege or a variable of ours"), async () => {
    const { exitCode, said } = await evaluate(`${local}/look:v1`, { env });
    assert.equal(exitCode, 0, said);
    assert.match(said, /Stderr:\n {4}65534\n {4}NoNewPrivs:\t1\n {4}lo\n {4}hello {2}\.\n/);
  });

  test(about("a function has the mounts, variables, user and network that it is given"), async () => {
    const data = join(top, `${name}-data`);
    await mkdir(data);
    await writeFile(join(data, "given"), "given\n");
    await chmod(data, 0o777);
    const user = `${process.getuid?.()}:${process.getgid?.()}`;
    const given = { env: ["HERE", "GREETING=good day"], mounts: [`type=bind,src=${data},dst=/data`], user };
    const { said } = await evaluate(`${local}/look:v1`, { env, containers: given, allowNetwork: true });
    const [id] = user.split(":");
    assert.match(said, new RegExp(`Stderr:\n {4}${id}\n`));
    assert.match(said, / {4}good day here \.\n {4}given\n/);
    assert.match(said, /touch: cannot touch '\/data\/made': Read-only file system/);
    const mounts = [`type=bind,src=${data},dst=/data,rw=true`];
    const written = await evaluate(`${local}/look:v1`, { env, containers: { user, mounts } });
    assert.doesNotMatch(written.said, /touch:/);
    assert.equal(await readFile(join(data, "made"), "utf8"), "");
  });

  test(about("an image is pulled when it is missing, always or never, and nothing told of it"), async () => {
    const image = `${registry?.host}/team/${name}-look:v1`;
    const platform = `linux/${process.arch === "x64" ? "amd64" : process.arch}`;
    const settings = ["--set-platform", platform, "--entrypoint", "/bin/function", "--env", "GREETING=first"];
    const root = join(top, `${name}-look`);
    await pushImage(image, root, settings);
    const greeting = async (pull: "always" | "missing" | "never") => {
      const { said } = await evaluate(image, { env, containers: { pull } });
      return said;
    };
    const absent = { podman: "image not known", docker: "No such image" }[name];
    assert.match(await greeting("never"), new RegExp(`${absent}.*Exit code: 125`, "s"));
    assert.match(await greeting("missing"), /Stderr:\n {4}65534\n(?: .*\n)* {4}first {2}\.\n$/);
    await pushImage(image, root, [...settings, "--env", "GREETING=second"]);
    assert.match(await greeting("missing"), / {4}first {2}\.\n$/);
    assert.match(await greeting("always"), /Stderr:\n {4}65534\n(?: .*\n)* {4}second {2}\.\n$/);
    await forget(image);
    assert.match(await greeting("never"), new RegExp(`${absent}.*Exit code: 125`, "s"));
  });

  test(about("a function has the memory that it is given, and the error says how much"), async () => {
    const { exitCode, said } = await evaluate(`${local}/greedy:v1`, {
      env: { ...env, CAPSTAN_KPT_MEMORY: "64Mi" },
    });
    assert.equal(exitCode, 1);
    assert.match(said, /may take 64Mi of memory \(CAPSTAN_KPT_MEMORY\)\n {2}Exit code: 137/);
    assert.equal((await evaluate(`${local}/greedy:v1`, { env })).exitCode, 0);
  });

  test(about("a container ends with the run that is broken off"), async () => {
    const stopping = new AbortController();
    const image = `${local}/endless:v1`;
    const running = evaluate(image, { env, signal: stopping.signal });
    await untilContainers(image, 1);
    stopping.abort(new Error("broken off"));
    await assert.rejects(running, /broken off/);
    await untilContainers(image, 0);
  });

  test(about("the kpt plugin runs the images that are allowed, and ends them with the render"), async () => {
    const images = [`${local}/set-namespace:v1`, `${local}/endless:v1`];
    const operator = { ...env, CAPSTAN_KPT_IMAGES: local };
    await using server = await openServer(operator);
    const { manifests } = await server.render(`{image: "${images[0]}", configMap: {namespace: fresh}}`);
    assert.deepEqual(
      manifests.map(({ manifest }) => isRecord(manifest) && manifest.metadata),
      [{ name: "map", namespace: "fresh" }],
    );
    const stopping = new AbortController();
    const running = server.render(`{image: "${images[1]}"}`, stopping.signal);
    await untilContainers(`${images[1]}`, 1);
    stopping.abort(new Error("broken off"));
    await assert.rejects(running, /broken off/);
    await untilContainers(`${images[1]}`, 0);
  });

  /** With what had its name before. */
  async function forget(image: string): Promise<void> {
    const ids = (await runtime.call("images", "--quiet", image.replace(/:[^:]*$/, ""))).split("\n");
    await runtime.call("rmi", "--force", ...new Set(ids.filter((id) => id !== "")));
  }

  async function untilContainers(image: string, count: number): Promise<void> {
    const listed = () => runtime.call("ps", "--all", "--quiet", "--filter", `ancestor=${image}`);
    const is = async () => (await listed()).split("\n").filter((id) => id !== "").length === count;
    const waited = { signal: AbortSignal.timeout(limitMs), describe: () => `never ${count} of ${image}` };
    await eventually(async () => (await is()) || undefined, waited);
  }
}

/** The real program by exec, and the function in process where it does not differ knowingly. */
async function checkBeside(one: FunctionCase, contained: object): Promise<void> {
  const env = { PATH: `${join(realProgramPath("opa"), "..")}:${process.env.PATH}` };
  const exec = realProgramPath(`kpt-${one.function}`);
  const real = await evaluateCase(one, { top, env, image: "", exec });
  // kpt leaves out the end of the last line that a container tells.
  const results = real.results.replace(/^([- ]+stderr: \|)\n/m, "$1-\n");
  assert.deepEqual(contained, { ...real, results });
  if (kptGaps[one.name] !== undefined) return;
  const ours = await evaluateCase(one, { top, env, image: one.function, exec: "" });
  assert.deepEqual(contained, ours);
}

async function openServer(env: Readonly<Record<string, string>>) {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(top, "server-"));
  const repository = stack.use(await createGitRepository({ "app/map.yaml": configMap }));
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const server = stack.use(
    await createRepoServer({
      ...{ dataDir: dir, clock: realClock, log, env },
      plugins: [...builtInPlugins, kpt(env)],
    }),
  );
  const render = async (step: string, signal = AbortSignal.timeout(limitMs)) => {
    const kptfile = `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: app}\npipeline: {mutators: [${step}]}\n`;
    const revision = await repository.commit({ "app/Kptfile": kptfile });
    const parameters = [{ name: "annotation-domain", string: "none" }];
    const source = { path: "app", targetRevision: revision, plugin: { name: "kpt", parameters } };
    const request = {
      ...{ repository: { url: repository.url }, source: { repoURL: repository.url, ...source } },
      ...{ appName: "app", namespace: "shop", project: "default", sourceRepos: ["*"] },
      ...{ kubeVersion: "1.34.0", apiVersions: [] },
    };
    return server.generateManifests(request, signal);
  };
  const closing = stack.move();
  return { render, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
