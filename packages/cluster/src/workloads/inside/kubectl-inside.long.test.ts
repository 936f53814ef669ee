import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { unpackTools } from "../../test-tools.ts";
import { startToolCluster } from "../../tool-cluster.ts";

const world = await startToolCluster({ podReadyDelayMs: 10 });
after(() => world[Symbol.asyncDispose]());
const { kubectl, ok, folder } = world;

const objects = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: blue, app.conf: "a=1\\n"}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {password: hunter2}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: main
    image: nginx
    env: [{name: A, value: one}, {name: B, value: $(A)-two}, {name: COLOR, valueFrom: {configMapKeyRef: {name: settings, key: color}}}]
    volumeMounts: [{name: c, mountPath: /etc/app}, {name: s, mountPath: /run/pw, subPath: password}]
  volumes: [{name: c, configMap: {name: settings}}, {name: s, secret: {secretName: keys}}]
`;
await writeFile(join(folder, "pod.yaml"), objects);
await ok(kubectl(["apply", "-f", join(folder, "pod.yaml")]));
await ok(kubectl(["wait", "--for=condition=Ready", "pod/web", "--timeout=20s"]));

const transports = [
  ["websockets", {}],
  ["SPDY", { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" }],
] as const;

for (const [how, env] of transports) {
  test(`kubectl exec over ${how}: output, environment, mounted files, exit codes, stdin`, async () => {
    const exec = (...args: string[]) => kubectl(["exec", "web", "--", ...args], { env });
    assert.equal(await ok(exec("echo", "hi")), "hi\n");
    assert.match(await ok(exec("env")), /^B=one-two$/m);
    assert.equal(await ok(exec("cat", "/etc/app/app.conf", "/run/pw")), "a=1\nhunter2");
    assert.equal(await ok(exec("ls", "/etc/app")), "app.conf\ncolor\n");
    const ended = await exec("sh", "-c", "echo $COLOR && exit 3");
    assert.deepEqual([ended.code, ended.stdout], [3, "blue\n"]);
    assert.match(ended.stderr, /exit code 3/);
    const unknown = await exec("nginx", "-v");
    assert.equal(unknown.code, 127);
    assert.match(unknown.stderr, /nginx: not found: this container is simulated by capstan/);
  });
}

for (const [how, env] of transports)
  test(`kubectl cp over ${how}: a file out, a folder in and out again, each said to be simulated`, async () => {
    const copy = (...args: string[]) => kubectl(["cp", ...args], { env });
    const [sent, back] = [join(folder, `sent-${how}`), join(folder, `back-${how}`)];
    const out = await copy("web:/etc/app/app.conf", back);
    assert.equal(out.code, 0, out.stderr);
    assert.match(out.stdout + out.stderr, /copied from a container that is simulated by capstan/);
    assert.equal(await readFile(back, "utf8"), "a=1\n");
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256));
    await mkdir(join(sent, "within"), { recursive: true });
    await writeFile(join(sent, "bytes"), bytes);
    await writeFile(join(sent, "within", "note"), "brought\n");
    const into = await copy(sent, `web:/tmp/${how}`);
    assert.equal(into.code, 0, into.stderr);
    assert.match(into.stdout + into.stderr, /copied into a container that is simulated by capstan/);
    assert.equal(await ok(kubectl(["exec", "web", "--", "cat", `/tmp/${how}/within/note`])), "brought\n");
    await ok(copy(`web:/tmp/${how}`, `${back}-folder`));
    assert.deepEqual(await readFile(join(`${back}-folder`, "bytes")), bytes);
    assert.equal(await readFile(join(`${back}-folder`, "within", "note"), "utf8"), "brought\n");
  });

test("kubectl cp says what it does not keep: over a mounted file, and more than there is room for", async () => {
  const file = join(folder, "large");
  await writeFile(file, "x");
  const mounted = await kubectl(["cp", file, "web:/etc/app/color"]);
  assert.match(mounted.stdout + mounted.stderr, /color: Read-only file system/);
  await writeFile(file, Buffer.alloc(9 << 20));
  const large = await kubectl(["cp", file, "web:/tmp/large"]);
  assert.notEqual(large.code, 0);
  assert.match(
    large.stdout + large.stderr,
    /large: No space left on device: a simulated container keeps 8 MiB/,
  );
  // kubectl ends with the archive: what it has not printed of standard error by then is lost now and then.
  let told = "";
  for (let tries = 0; tries < 5 && !told.includes("/none: Cannot stat"); tries += 1) {
    const { stdout, stderr } = await kubectl(["cp", "web:/none", join(folder, "none")]);
    told = stdout + stderr;
  }
  assert.match(told, /\/none: Cannot stat: No such file or directory/);
});

test("a container that is not there, or does not run, is refused with its name", async () => {
  const missing = await kubectl(["exec", "web", "-c", "side", "--", "true"]);
  assert.match(missing.stderr, /container side is not valid for pod web|container not found/);
});

for (const [how, websockets] of [
  ["websockets", "true"],
  ["SPDY", "false"],
] as const) {
  test(`kubectl port-forward over ${how}: a page that says it is simulated`, {
    timeout: 60_000,
  }, async () => {
    const tools = await unpackTools();
    const env = { HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), PATH: process.env.PATH };
    const forwarding = spawn(tools.kubectl, ["port-forward", "pod/web", ":80"], {
      env: { ...env, KUBECTL_PORT_FORWARD_WEBSOCKETS: websockets },
    });
    try {
      const [line] = await once(forwarding.stdout, "data");
      const port = /127\.0\.0\.1:(\d+)/.exec(String(line))?.[1];
      for (let times = 0; times < 3; times += 1) {
        const answer = await fetch(`http://127.0.0.1:${port}/`);
        assert.equal(answer.headers.get("x-capstan-simulated"), "true");
        assert.match(await answer.text(), /port 80 of Pod default\/web is simulated/);
      }
    } finally {
      forwarding.kill();
      await once(forwarding, "close");
    }
  });
}
