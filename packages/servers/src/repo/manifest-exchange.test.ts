import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { parseJson } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import type { RenderedManifest } from "@capstan/wire";
import { ManifestReceiver, ManifestSender } from "./manifest-exchange.ts";

function rendered(name: string, more: Partial<Manifest> = {}): RenderedManifest {
  const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...more };
  return {
    manifest,
    digest: hash("sha256", JSON.stringify(manifest)),
    origin: { file: `${name}.yaml`, line: 2 },
  };
}

/** What is received, and how long the texts were. */
function exchange() {
  const [sender, receiver] = [new ManifestSender(), new ManifestReceiver()];
  return async (manifests: readonly RenderedManifest[]) => {
    const got: RenderedManifest[] = [];
    const lengths: number[] = [];
    await sender.send(manifests, async (json) => {
      lengths.push(json.length);
      got.push(...receiver.read(parseJson(json)));
    });
    return { got, lengths };
  };
}

test("a manifest goes over once; later answers refer to it, and it stays the same object", async () => {
  const send = exchange();
  const all = [rendered("a", { data: { text: "x".repeat(1_000) } }), rendered("b")];
  const first = await send(all);
  const second = await send([...all, rendered("c")]);
  const plain = ({ manifest, digest, origin }: RenderedManifest) => ({ manifest, digest, origin });
  assert.deepEqual(first.got.map(plain), all.map(plain));
  assert.deepEqual(second.got.map(plain), [...all, rendered("c")].map(plain));
  assert.equal(second.got[0]?.manifest, first.got[0]?.manifest);
  assert.ok((second.lengths[0] ?? 0) < 1_000);
});

test("what holds a secret is kept on neither side", async () => {
  const send = exchange();
  const secret = rendered("s", { kind: "Secret" });
  const marked = { ...rendered("m"), secretPaths: [["data", "x"]] };
  const first = await send([secret, marked]);
  const second = await send([secret, marked]);
  assert.deepEqual(second.lengths, first.lengths);
  assert.notEqual(second.got[0]?.manifest, first.got[0]?.manifest);
  assert.deepEqual(second.got[1]?.secretPaths, [["data", "x"]]);
});

test("a large answer comes in parts; both sides forget the oldest alike", async () => {
  const send = exchange();
  const large = (name: string) => rendered(name, { data: { text: "x".repeat(6_000_000) } });
  const names = Array.from({ length: 14 }, (_, index) => `big-${index}`);
  const first = await send(names.map(large));
  assert.equal(first.lengths.length, names.length, "each is a part of its own");
  // More than is kept: the first of them are sent again, the last are not.
  const again = await send([large("big-13"), large("big-0"), large("big-13"), large("big-1")]);
  assert.deepEqual(
    again.lengths.map((length) => length > 6_000_000),
    [true, true],
  );
  assert.deepEqual(
    again.got.map(({ manifest }) => manifest.metadata.name),
    ["big-13", "big-0", "big-13", "big-1"],
  );
});

test("an answer that refers to what was never sent is refused", () => {
  assert.throws(() => new ManifestReceiver().read([{ digest: "x", size: 0 }]), /was not sent/);
  assert.throws(
    () => new ManifestReceiver().read([{ digest: "x", size: 0, manifest: "text" }]),
    /no manifest/,
  );
  assert.throws(() => new ManifestReceiver().read({}), /no list/);
});
