/** What somebody who may only see an application sends in place of its repository. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { type Headers, pack } from "tar-stream";
import type { Attack, AttackWorld, Who } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";

type Entry = readonly [name: string, content: string | Buffer, header?: Partial<Headers>];

async function send(
  world: AttackWorld,
  who: Who,
  { name, entries }: { name: string; entries: readonly Entry[] },
) {
  const archive = pack();
  for (const [path, content, header] of entries) archive.entry({ name: path, ...header }, content);
  archive.finalize();
  const bytes = await buffer(archive.pipe(createGzip()));
  const checksum = createHash("sha256").update(bytes).digest("hex");
  const answer = await world.ask(who, "POST /api/v1/applications/manifestsWithFiles", {
    body: { name, checksum, files: bytes.toString("base64") },
  });
  const text = JSON.stringify(answer.body);
  await world.assertUnharmed([text]);
  return { status: answer.status, text };
}

/** An application of alice's, then what is sent for it. */
const sends =
  (name: string, attack: (world: AttackWorld, name: string) => Promise<void>): Attack["play"] =>
  async (world) => {
    await deploys(name, { files: () => ({ "app/a.yaml": fineConfigMap }), ends: { harmless: true } })(world);
    await attack(world, name);
  };

export const attacks: readonly Attack[] = [
  {
    id: "sent-files/of-another-team",
    threat:
      "An account has its own files rendered as an application of another project, with what that may use",
    heldBy: "the right to see the application is asked before anything is done with the files",
    play: sends("sent-by-bob", async (world, name) => {
      const { status } = await send(world, "bob", { name, entries: [["app/a.yaml", fineConfigMap]] });
      assert.equal(status, 403);
    }),
  },
  {
    id: "sent-files/in-place-of-what-is-committed",
    threat:
      "Files whose digests are those of committed ones get into the cache of renderings, and are deployed",
    heldBy: "digests of sent files are of no other kind of tree's",
    play: sends("sent-as-committed", async (world, name) => {
      const git = `blob ${fineConfigMap.length}\0${fineConfigMap}`;
      await send(world, "carol", { name, entries: [["app/a.yaml", git]] });
      const smuggled = fineConfigMap.replace("metadata:", "metadata:\n  labels: {smuggled: 'yes'}");
      await send(world, "carol", { name, entries: [["app/a.yaml", smuggled]] });
      const { body } = await world.ask("alice", `GET /api/v1/applications/${name}/manifests`);
      assert.doesNotMatch(JSON.stringify(body), /smuggled/);
    }),
  },
  {
    id: "sent-files/outside-the-archive",
    threat: "An archive writes or reads files beside itself: by its names, by links",
    heldBy: "names stay within the archive, links within its files",
    play: sends("sent-outside", async (world, name) => {
      const { outside } = world.at;
      for (const entries of [
        [["../../a.yaml", fineConfigMap]],
        [["/a.yaml", fineConfigMap]],
        [["app", "", { type: "symlink", linkname: outside }]],
        [["app/a.yaml", "", { type: "symlink", linkname: `../../../../..${outside}` }]],
        [["app/a.yaml", "", { type: "link", linkname: outside }]],
      ] as const) {
        const { status, text } = await send(world, "carol", { name, entries });
        assert.ok(status < 500, text);
      }
    }),
  },
  {
    id: "sent-files/bombs",
    threat: "A small archive unpacks to more than there is room for, in bytes or in files",
    heldBy: "bytes and entries are counted while it is unpacked",
    play: sends("sent-bombs", async (world, name) => {
      const many = Array.from({ length: 12_000 }, (_, index): Entry => [`app/${index}.yaml`, ""]);
      for (const entries of [[["app/a.yaml", Buffer.alloc(100 * 2 ** 20)] as const], many]) {
        const { status, text } = await send(world, "carol", { name, entries });
        assert.ok(status >= 400 && status < 500, text);
      }
    }),
  },
];
