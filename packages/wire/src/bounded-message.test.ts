import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { readBoundedMessage } from "./bounded-message.ts";
import { argocdTypes, reposerver } from "./repo-protocols.ts";
import { apiMethods } from "./rpc.ts";

const { generateManifest, getHelmCharts } = reposerver.RepoServerService.method;
const tooMany = /more than 1000000 values/;

/** `count` times the same two bytes. */
function repeated(pair: readonly [number, number], count: number): Buffer {
  return Buffer.alloc(count * 2, Buffer.from(pair));
}

test("a message of many small values is refused before it is read, known fields and unknown ones", () => {
  const cases: readonly [string, DescMessage, readonly [number, number]][] = [
    ["empty strings", generateManifest.output, [0x0a, 0]],
    ["unknown fields", generateManifest.output, [0x78, 1]],
    ["empty messages", getHelmCharts.output, [0x0a, 0]],
  ];
  for (const [name, desc, pair] of cases) {
    assert.throws(() => readBoundedMessage(desc, repeated(pair, 5_000_000)), tooMany, name);
    readBoundedMessage(desc, repeated(pair, 1_000));
  }
});

test("values count wherever they stand: in messages, in those of maps, in packed lists", () => {
  const inner = repeated([0x0a, 0], 1_100_000);
  const charts = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(inner).finish();
  assert.throws(() => readBoundedMessage(getHelmCharts.output, charts), tooMany);
  const value = new BinaryWriter().tag(2, WireType.LengthDelimited).bytes(repeated([0x78, 1], 1_100_000));
  const refSources = reposerver.ManifestRequestSchema.field.refSources.number;
  const entry = new BinaryWriter().tag(refSources, WireType.LengthDelimited).bytes(value.finish()).finish();
  assert.throws(() => readBoundedMessage(reposerver.ManifestRequestSchema, entry), tooMany);
  const query = apiMethods.get("application.ApplicationService/GetManifests")?.input ?? assert.fail();
  const numbers = query.field.sourcePositions ?? assert.fail();
  const positions = new BinaryWriter().tag(numbers.number, WireType.LengthDelimited);
  assert.throws(() => readBoundedMessage(query, positions.bytes(Buffer.alloc(1_100_000)).finish()), tooMany);
});

test("what is no message is refused, and what is one is read as ever", () => {
  const longer = new BinaryWriter().tag(1, WireType.LengthDelimited).uint32(1_000).finish();
  assert.throws(() => readBoundedMessage(getHelmCharts.output, longer), RangeError);
  assert.throws(() => readBoundedMessage(getHelmCharts.output, Buffer.from("not a message")));
  const deep = new BinaryWriter();
  const source = { repoURL: "r", helm: { parameters: [{ name: "a", value: "b" }] } };
  const spec = { sources: [source, source], syncPolicy: { retry: { limit: 2n } } };
  const application = create(argocdTypes.ApplicationSchema, { spec });
  deep.raw(toBinary(argocdTypes.ApplicationSchema, application));
  assert.deepEqual(readBoundedMessage(argocdTypes.ApplicationSchema, deep.finish()), application);
});
