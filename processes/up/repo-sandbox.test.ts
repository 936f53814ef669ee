import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { turn } from "@capstan/testkit";
import { readUpOptions } from "./options.ts";
import { confineRepoServer } from "./repo-sandbox.ts";

test("a folder of plugin sockets that was made again, or came later, is seen", async () => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-sandbox-"));
  try {
    const sockets = join(dir, "sockets");
    const flags = { data: join(dir, "data"), "plugin-sockets": sockets };
    const probed = { sandbox: { bwrap: "bwrap", hasOwnUser: false, proc: "own" } } as const;
    const confine = () => confineRepoServer(readUpOptions(flags, process.env), probed, "main");
    const before = await confine();
    assert.equal(before.isOutdated(), false);
    await mkdir(sockets);
    await turn(); // looked at once a turn
    assert.equal(before.isOutdated(), true);

    const since = await confine();
    await writeFile(join(sockets, "one.sock"), "");
    assert.equal(since.isOutdated(), false);
    await rm(sockets, { recursive: true });
    await mkdir(sockets);
    await turn();
    assert.equal(since.isOutdated(), true);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
