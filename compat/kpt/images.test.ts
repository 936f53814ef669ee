/** Functions of kpt's catalog from images of a real registry, as Capstan brings and confines them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { evalKptFolder } from "@capstan/plugin-kpt/folders";
import { functionImages } from "@capstan/render/images";
import {
  lacking,
  lackingOciRegistry,
  type OciRegistry,
  realClock,
  realProgramPath,
  startOciRegistry,
  writeImageRoot,
} from "@capstan/testkit";
import { crane, pushImage } from "./push-image.ts";

const run = promisify(execFile);
const skip = lackingOciRegistry() || lacking("crane", "kpt-set-namespace");
const everything = {
  ...{ apiVersion: "", kind: "", name: "", namespace: "" },
  labels: new Map<string, string>(),
  annotations: new Map<string, string>(),
};
const script = `#!/bin/sh
cat > /tmp/list
{ id -u; ls -d /etc/hostname /root /home 2>&1; ls /sys/class/net 2>&1; echo "$GREETING $SECRET"; touch /made 2>&1; cat /proc/net/route | wc -l; } >&2
cat /tmp/list
`;

/** Where a container runtime is installed, it is not found. */
const needed = ["bwrap", "cat", "prlimit", "sh"];

let top = "";
let registry: OciRegistry;
before(async () => {
  if (skip) return;
  top = await mkdtemp(join(tmpdir(), "capstan-kpt-images-"));
  await mkdir(join(top, "bin"));
  for (const name of needed) await symlink(`/usr/bin/${name}`, join(top, "bin", name));
  registry = await startOciRegistry();
});
after(async () => {
  if (skip) return;
  await registry[Symbol.asyncDispose]();
  await rm(top, { recursive: true, force: true, maxRetries: 5 });
});

async function push(name: string, root: string, settings: readonly string[]): Promise<string> {
  const image = `${registry.host}/team/${name}`;
  await pushImage(image, root, settings);
  return image;
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map\n  namespace: old\n";

interface Call {
  allowed?: string;
  data?: Readonly<Record<string, string>>;
  dockerConfig?: string;
  memory?: string;
}

async function evaluate(image: string, { allowed = "", data = {}, dockerConfig, memory }: Call = {}) {
  const root = await mkdtemp(join(top, "package-"));
  await writeFile(join(root, "map.yaml"), configMap);
  const said: string[] = [];
  const request = {
    ...{ directory: root, output: "", resultsDir: "", imagePrefix: undefined, image, exec: "", tag: "" },
    ...{ allowExec: false, allowNetwork: false, type: "mutator" as const, save: false, fnConfig: "" },
    ...{ match: everything, exclude: everything },
    args: Object.entries(data).map(([key, value]) => `${key}=${value}`),
  };
  const exitCode = await evalKptFolder(request, {
    ...{ clock: realClock, signal: AbortSignal.timeout(60_000), readInput: async () => "" },
    env: {
      PATH: join(top, "bin"),
      HOME: top,
      CAPSTAN_KPT_IMAGES: allowed,
      SECRET: "s3cret",
      DOCKER_CONFIG: dockerConfig,
      CAPSTAN_KPT_MEMORY: memory,
    },
    ...{ out: () => undefined, err: (text: string) => void said.push(text) },
    withImage: functionImages(join(top, "images")),
  });
  return { exitCode, said: said.join(""), map: await readFile(join(root, "map.yaml"), "utf8") };
}

test("a real function from its image, by tag and by digest, fetched once", { skip }, async () => {
  const root = join(top, "set-namespace");
  await writeImageRoot(root, { fn: realProgramPath("kpt-set-namespace") });
  const image = await push("set-namespace:v9", root, ["--entrypoint", "/bin/fn"]);
  const { stdout: digest } = await crane("digest", image);
  const { stdout: manifest } = await crane("manifest", image);
  const layer: string = JSON.parse(manifest).layers[0].digest;
  const fetches = () => registry.output().split(`"GET /v2/team/set-namespace/blobs/${layer}`).length;
  const byDigest = `${image.replace(/:v9$/, "")}@${digest.trim()}`;
  const counts: number[] = [];
  for (const one of [image, byDigest]) {
    const given = { allowed: `${registry.host}/team`, data: { namespace: "fresh" } };
    const { exitCode, said, map } = await evaluate(one, given);
    assert.equal(exitCode, 0, said);
    assert.equal(map, configMap.replace("old", "fresh"));
    counts.push(fetches());
  }
  assert.equal((await readdir(join(top, "images"))).length, 1);
  assert.ok((counts[0] ?? 0) > 1, "the layer was fetched");
  assert.equal(counts[1], counts[0], "and not again");
});

test("an image that is not allowed is not fetched, and the error says what allows it", { skip }, async () => {
  const image = `${registry.host}/team/set-namespace:v9`;
  const { exitCode, said } = await evaluate(image, { allowed: `${registry.host}/tea,other.example.com` });
  assert.equal(exitCode, 1);
  assert.match(said, /its image may not run: name it, or a path above it, in CAPSTAN_KPT_IMAGES/);
});

test("a function sees its image alone: no file, network or variable of the machine", { skip }, async () => {
  const root = join(top, "look");
  const tools = ["cat", "id", "ls", "touch", "wc"].map((name) => [name, `/usr/bin/${name}`]);
  await writeImageRoot(root, Object.fromEntries([["sh", "/bin/sh"], ...tools]));
  await writeFile(join(root, "bin/look"), script, { mode: 0o755 });
  const settings = ["--entrypoint", "/bin/look", "--env", "GREETING=hello"];
  const image = await push("look:v1", root, settings);
  const { exitCode, said } = await evaluate(image, { allowed: "*" });
  assert.equal(exitCode, 0, said);
  assert.match(said, /^\s*65534$/m);
  for (const gone of ["/etc/hostname", "/root", "/home"])
    assert.match(said, new RegExp(`cannot access '${gone}'`));
  assert.match(said, /^ *hello *$/m);
  assert.doesNotMatch(said, /s3cret/);
  assert.match(said, /touch: cannot touch '\/made': Read-only file system/);
  assert.match(said, /^\s*1$/m, "the table of routes has its head alone");
});

const greedy = `#!/bin/sh
cat > /tmp/list
case $(cat /tmp/list) in *shared*) exec cat /dev/zero > /dev/shm/all ;; *filled*) exec cat /dev/zero > /tmp/all ;; esac
head -c 200M /dev/zero | tail -c 150M > /dev/null || exit 1
cat /tmp/list
`;

test("a function's memory has a limit that the operator sets, and the error names it", { skip }, async () => {
  const root = join(top, "greedy");
  const tools = ["cat", "head", "tail"].map((name) => [name, `/usr/bin/${name}`]);
  await writeImageRoot(root, Object.fromEntries([["sh", "/bin/sh"], ...tools]));
  await writeFile(join(root, "bin/greedy"), greedy, { mode: 0o755 });
  const image = await push("greedy:v1", root, ["--entrypoint", "/bin/greedy"]);
  const hint = /may take 64Mi of memory \(CAPSTAN_KPT_MEMORY\)/;
  const given = { allowed: "*", memory: "64Mi" };
  const { said } = await evaluate(image, given);
  assert.match(said, /memory exhausted/);
  assert.match(said, hint);
  for (const place of ["filled", "shared"]) {
    const full = await evaluate(image, { ...given, data: { place } });
    assert.match(full.said, /No space left on device/);
    assert.match(full.said, hint);
  }
  const unlimited = await evaluate(image, { allowed: "*", memory: "unlimited" });
  assert.equal(unlimited.exitCode, 0, unlimited.said);
  const wrong = await evaluate(image, { allowed: "*", memory: "much" });
  assert.match(wrong.said, /CAPSTAN_KPT_MEMORY "much" must be a size such as 512Mi or 2Gi, or unlimited/);
});

const noWasm = skip || lacking("kpt-set-namespace.wasm");

/** As kpt's `alpha wasm push`: an index with one image of one file. */
async function pushWasm(name: string, file: string): Promise<string> {
  const root = await mkdtemp(join(top, "wasm-"));
  await copyFile(file, join(root, "fn.wasm"));
  const image = await push(`${name}-file:v9`, root, ["--set-platform", "js/wasm"]);
  const index = `${registry.host}/team/${name}:v9`;
  await crane("index", "append", "--manifest", image, "--tag", index);
  return index;
}

test("a real function in WebAssembly, as kpt pushes it", { skip: noWasm }, async () => {
  const image = await pushWasm("wasm", realProgramPath("kpt-set-namespace.wasm"));
  const { exitCode, said, map } = await evaluate(image, { allowed: "*", data: { namespace: "fresh" } });
  assert.equal(exitCode, 0, said);
  assert.equal(map, configMap.replace("old", "fresh"));
});

test("what is no WebAssembly is told so", { skip }, async () => {
  const { exitCode, said } = await evaluate(await pushWasm("text", import.meta.filename), { allowed: "*" });
  assert.equal(exitCode, 1);
  assert.match(said, /the function cannot run: WebAssembly.Module/);
});

test("images that were not used for long make room for others", { skip }, async () => {
  const folder = join(top, "few");
  const names: string[][] = [];
  for (const [index, name] of ["set-namespace:v9", "look:v1", "set-namespace:v9"].entries()) {
    const clock = { ...realClock, now: () => realClock.now() + index * 7_200_000 };
    const around = { signal: AbortSignal.timeout(60_000), clock, env: {} };
    await functionImages(folder, { maxImages: 1 })(
      `${registry.host}/team/${name}`,
      around,
      async () => undefined,
    );
    names.push(await readdir(folder));
  }
  assert.deepEqual(
    names.map(({ length }) => length),
    [1, 1, 1],
  );
  assert.deepEqual(names[0], names[2]);
  assert.notDeepEqual(names[0], names[1]);
});

test("an image that is not there, and a tag that is not, are told with the registry's host", {
  skip,
}, async () => {
  const { exitCode, said } = await evaluate(`${registry.host}/team/none:v1`, { allowed: "*" });
  assert.equal(exitCode, 1);
  assert.match(said, new RegExp(registry.host.replace(".", "\\.")));
});

test("a registry with a password takes that of docker's configuration", { skip }, async () => {
  const credentials = { username: "ada", password: "s3cret-word" };
  await using guarded = await startOciRegistry({ credentials });
  const auth = Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64");
  const settings = JSON.stringify({ auths: { [guarded.host]: { auth } } });
  const folder = await mkdtemp(join(top, "docker-"));
  await writeFile(join(folder, "config.json"), settings);
  const image = `${guarded.host}/team/set-namespace:v9`;
  await run(realProgramPath("crane"), ["copy", `${registry.host}/team/set-namespace:v9`, image], {
    env: { ...process.env, DOCKER_CONFIG: folder },
  });
  const call = { allowed: guarded.host, data: { namespace: "fresh" } };
  const without = await evaluate(image, call);
  assert.equal(without.exitCode, 1);
  assert.doesNotMatch(without.said, /s3cret-word/);
  const { exitCode, said } = await evaluate(image, { ...call, dockerConfig: folder });
  assert.equal(exitCode, 0, said);
});
