import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, credentials } from "@grpc/grpc-js";
import { lackingCmpServer, startCmpServer } from "../index.ts";

const pluginYaml = (version: string) => `
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata:
  name: shout
spec:
  ${version}
  generate:
    command: [sh, -c, 'echo "{}"']
`;
const skip = lackingCmpServer();

/** grpc.health.v1.Health/Check of the whole server; its answer is one field, the status. */
function checkHealth(socket: string): Promise<Buffer> {
  const client = new Client(`unix://${socket}`, credentials.createInsecure());
  const asIs = (bytes: Buffer) => bytes;
  return new Promise((resolve, reject) => {
    const path = "/grpc.health.v1.Health/Check";
    const deadline = Date.now() + 10_000;
    client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), { deadline }, (error, answer) => {
      client.close();
      if (error) reject(error);
      else resolve(answer ?? Buffer.alloc(0));
    });
  });
}

test("a stock argocd-cmp-server says over its socket that it serves", { skip }, async () => {
  await using server = await startCmpServer(pluginYaml("version: v1.0"));
  assert.match(server.socket, /shout-v1\.0\.sock$/);
  assert.deepEqual(await checkHealth(server.socket), Buffer.from([8, 1]));
});

test("several share a folder of sockets", { skip }, async () => {
  await using one = await startCmpServer(pluginYaml(""));
  const pluginSockets = one.socket.replace(/\/[^/]*$/, "");
  await using two = await startCmpServer(pluginYaml("version: v2"), { pluginSockets });
  assert.match(one.socket, /shout\.sock$/);
  assert.deepEqual(await checkHealth(two.socket), Buffer.from([8, 1]));
});

test("a plugin.yaml that it refuses fails with what it said", { skip }, async () => {
  await assert.rejects(
    startCmpServer("kind: Nonsense\nmetadata: {name: x}\n"),
    /kind should be ConfigManagementPlugin, found Nonsense/,
  );
});
