import assert from "node:assert/strict";
import { test } from "node:test";
import { type Call, isSigned, startStore } from "@capstan/secret-services/test-store";
import { realClock } from "@capstan/testkit";
import { createService } from "../create-service.ts";
import { EntryError } from "../service.ts";

const clock = realClock;
const { signal } = new AbortController();
const config = { queue: "deploys", region: "eu-west-1", key: "AKID", secret: "topsecret" };

/** A queue that answers nobody whose signature is wrong. */
function startQueue(calls: Call[]) {
  return startStore((call) => {
    if (!isSigned(call, "topsecret")) return [403, { __type: "com.amazon#SignatureDoesNotMatch" }];
    calls.push(call);
    const target = String(call.headers["x-amz-target"]);
    return [
      200,
      target.endsWith("GetQueueUrl") ? { QueueUrl: "http://queue/1/deploys" } : { MessageId: "1" },
    ];
  });
}

test("a queue that checks signatures takes a message, its attributes and its group", async () => {
  const calls: Call[] = [];
  await using server = await startQueue(calls);
  const service = createService({
    type: "awssqs",
    config: { ...config, endpointUrl: server.address },
    clock,
  });
  const awssqs = { messageAttributes: { app: "web", none: "" }, messageGroupId: "g" };
  await service.send({ message: "hello", awssqs }, "other.fifo", { signal });
  assert.deepEqual(
    calls.map(({ headers, text }) => [headers["x-amz-target"], headers["content-type"], JSON.parse(text)]),
    [
      ["AmazonSQS.GetQueueUrl", "application/x-amz-json-1.0", { QueueName: "other.fifo" }],
      [
        "AmazonSQS.SendMessage",
        "application/x-amz-json-1.0",
        {
          QueueUrl: "http://queue/1/deploys",
          MessageBody: "hello",
          MessageGroupId: "g",
          MessageAttributes: { app: { DataType: "String", StringValue: "web" } },
        },
      ],
    ],
  );
});

test("a wrong signature is a failure, and the environment's identity is taken where the entry has none", async () => {
  const calls: Call[] = [];
  await using server = await startQueue(calls);
  const environment = {
    AWS_ACCESS_KEY_ID: "AKID",
    AWS_SECRET_ACCESS_KEY: "topsecret",
    AWS_REGION: "eu-west-1",
  };
  const own = { queue: "deploys", endpointUrl: server.address };
  await createService({ type: "awssqs", config: own, clock, environment }).send({}, "", { signal });
  assert.equal(calls.length, 2);
  const other = createService({
    type: "awssqs",
    config: { ...own, ...config, secret: "other", endpointUrl: server.address },
    clock,
  });
  await assert.rejects(
    other.send({}, "", { signal }),
    /^SendError: awssqs: AWS answers 403 SignatureDoesNotMatch to GetQueueUrl/,
  );
});

test("a tenant's entry has no identity of the server's", () => {
  const environment = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "topsecret", AWS_REGION: "r" };
  assert.throws(
    () => createService({ type: "awssqs", config: { queue: "q" }, clock, environment, guarded: true }),
    (error) =>
      error instanceof EntryError && /key and secret are required.*region is required/.test(error.message),
  );
});
