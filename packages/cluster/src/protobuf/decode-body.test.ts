import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBody } from "./decode-body.ts";

/** Field number and wire type 2, then length and content. */
const field = (number: number, content: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
};
const whole = (number: number, value: number): Buffer => Buffer.from([number * 8, value]);

const body = (apiVersion: string, kind: string, ...fields: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    Buffer.from("k8s\0"),
    field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])),
    field(2, Buffer.concat(fields)),
  ]);

test("a Secret's data becomes base64, its empty times null or nothing", () => {
  const metadata = field(1, Buffer.concat([field(1, "s"), field(2, ""), field(8, "")]));
  const data = field(2, Buffer.concat([field(1, "key"), field(2, "value")]));
  assert.deepEqual(JSON.parse(decodeBody(body("v1", "Secret", metadata, data))), {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", creationTimestamp: null },
    data: { key: "dmFsdWU=" },
  });
});

test("a pointer keeps its zero, and inlined structs lie flat", () => {
  const volume = Buffer.concat([field(1, "v"), field(2, field(2, ""))]);
  const template = field(3, field(2, field(1, volume)));
  assert.deepEqual(
    JSON.parse(decodeBody(body("apps/v1", "Deployment", field(2, Buffer.concat([whole(1, 0), template]))))),
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      spec: { replicas: 0, template: { spec: { volumes: [{ name: "v", emptyDir: {} }] } } },
    },
  );
});

test("delete options are read whatever group they are sent to", () => {
  const options = Buffer.concat([whole(1, 0), field(4, "Background")]);
  assert.deepEqual(JSON.parse(decodeBody(body("apps/v1", "DeleteOptions", options))), {
    apiVersion: "apps/v1",
    kind: "DeleteOptions",
    gracePeriodSeconds: 0,
    propagationPolicy: "Background",
  });
});

test("JSON within protobuf stays what it is", () => {
  const revision = Buffer.concat([field(2, field(1, '{"spec":{"a":[1,"b"]}}')), whole(3, 7)]);
  assert.deepEqual(JSON.parse(decodeBody(body("apps/v1", "ControllerRevision", revision))), {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    data: { spec: { a: [1, "b"] } },
    revision: 7,
  });
});

test("anything else is a bad request", () => {
  const refusals: readonly Buffer[] = [
    Buffer.from("{}"),
    Buffer.from("k8s\0\x0a\xff"),
    body("v1", "NoSuchKind", field(1, "x")),
    Buffer.concat([Buffer.from("k8s\0"), field(1, field(2, "Pod")), Buffer.from([0x12, 0x7f, 0x0a])]),
  ];
  for (const refused of refusals) assert.throws(() => decodeBody(refused), { name: "ApiError", code: 400 });
});
