import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Call, startStore } from "@capstan/secret-services/test-store";
import { realClock } from "@capstan/testkit";
import { createService } from "../create-service.ts";

const clock = realClock;
const { signal } = new AbortController();

test("a message goes to the topic of the entry or the recipient, with its attributes", async () => {
  const calls: Call[] = [];
  await using server = await startStore((call) => {
    calls.push(call);
    return [200, { messageIds: ["1"] }];
  });
  const environment = { PUBSUB_EMULATOR_HOST: new URL(server.address).host };
  const config = { project: "mine", topic: "deploys" };
  const service = createService({ type: "gcppubsub", config, clock, environment });
  await service.send({ message: "ü" }, "", { signal });
  await service.send({ message: "b", gcppubsub: { attributes: { app: "web" } } }, "other/topic", { signal });
  assert.deepEqual(
    calls.map(({ method, url, text }) => [method, url.pathname, JSON.parse(text)]),
    [
      ["POST", "/v1/projects/mine/topics/deploys:publish", { messages: [{ data: "w7w=" }] }],
      [
        "POST",
        "/v1/projects/mine/topics/other%2Ftopic:publish",
        { messages: [{ data: "Yg==", attributes: { app: "web" } }] },
      ],
    ],
  );
});

test("the key file's account says who asks, and its key is in no failure", async (t) => {
  await using server = await startStore(({ url }) =>
    url.pathname === "/token" ? [401, { error: "no" }] : [500, {}],
  );
  const folder = await mkdtemp(join(tmpdir(), "capstan-pubsub-"));
  t.after(() => rm(folder, { recursive: true }));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = {
    type: "service_account",
    client_email: "me@mine",
    private_key: privateKey.export({ format: "pem", type: "pkcs8" }),
    token_uri: `${server.address}/token`,
  };
  const keyFile = join(folder, "key.json");
  await writeFile(keyFile, JSON.stringify(key));
  const service = createService({
    type: "gcppubsub",
    config: { project: "mine", topic: "t", keyFile },
    clock,
  });
  await assert.rejects(
    service.send({}, "", { signal }),
    /^SendError: gcppubsub: Google answers 401 to the request for a token$/,
  );
  assert.deepEqual(server.asked, ["POST /token"]);
});

test("a tenant's entry has no identity of the server's", () => {
  const config = { project: "mine", topic: "t", keyFile: "/etc/key.json" };
  assert.throws(
    () => createService({ type: "gcppubsub", config, clock, guarded: true }),
    /not for an entry of/,
  );
});
