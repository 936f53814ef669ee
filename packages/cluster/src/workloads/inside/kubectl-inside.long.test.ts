import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
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

for (const [how, env] of [
  ["websockets", {}],
  ["SPDY", { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" }],
] as const) {
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

test("kubectl cp says that there is no tar, and why", async () => {
  // kubectl prints what tar says of its errors, too.
  const { code, stdout, stderr } = await kubectl(["cp", "web:/etc/app/app.conf", join(folder, "copied")]);
  assert.notEqual(code, 0);
  assert.match(stdout + stderr, /tar: not found, so nothing can be copied .* simulated by capstan/);
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
