import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { requireFolder } from "./require-folder.ts";

test("only listed folders, never Capstan's own data, whatever leads there", async (t) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "folders-")));
  t.after(() => rmSync(base, { recursive: true }));
  const at = (...parts: string[]) => join(base, ...parts);
  for (const name of [
    "data/render/repos/x.git/objects/info",
    "data/samples",
    "repos/app/.git/objects/info",
    "other",
  ])
    mkdirSync(at(name), { recursive: true });
  const data = at("data");
  const folders = {
    listed: [at("repos")],
    isOwnPermitted: false,
    closed: [data],
    open: [join(data, "samples")],
  };
  const ask = (path: string) => requireFolder(`file://${path}`, folders);
  for (const path of [at("repos/app"), at("repos/missing"), at("data/samples")]) await ask(path);
  symlinkSync(at("data"), at("repos/link"));
  symlinkSync(at("other"), at("repos/elsewhere"));
  mkdirSync(at("repos/file"));
  writeFileSync(at("repos/file/.git"), `gitdir: ${at("data/render/repos/x.git")}\n`);
  mkdirSync(at("repos/borrower/objects/info"), { recursive: true });
  writeFileSync(at("repos/borrower/objects/info/alternates"), `${at("data/render/repos/x.git/objects")}\n`);
  for (let index = 0; index < 30; index += 1) {
    mkdirSync(at(`repos/chain-${index}/objects/info`), { recursive: true });
    writeFileSync(at(`repos/chain-${index}/objects/info/alternates`), at(`repos/chain-${index + 1}/objects`));
  }
  const own = [
    "data",
    "data/render/repos/x.git",
    "repos/link/render/repos/x.git",
    "repos/file",
    "repos/borrower",
  ];
  for (const path of own) await assert.rejects(ask(at(path)), /Capstan's own data/, path);
  const others = [
    "other",
    "repos/elsewhere",
    "repos/../other",
    "repos/%2e%2e/other",
    "repos-2",
    "repos/chain-0",
  ];
  for (const path of others) await assert.rejects(ask(`${base}/${path}`), /--allow-folder/, path);
  for (const path of ["/proc/self/cwd", "/proc/self/root/etc", "/dev/fd/3"])
    await assert.rejects(ask(path), /--allow-folder/, path);
  await assert.rejects(requireFolder("repos/app", folders), /file:\/\/\/PATH/);
  await assert.rejects(requireFolder(`file://localhost${at("repos/app")}`, folders), /file:\/\/\/PATH/);
  // On the embedded cluster: all that belongs to who started it, but Capstan's own data.
  const person = { ...folders, isOwnPermitted: true };
  await requireFolder(at("other"), person);
  for (const path of own) await assert.rejects(requireFolder(at(path), person), /Capstan's own data/, path);
  for (const path of ["/proc/self/cwd", "/proc/1/root"]) await assert.rejects(requireFolder(path, person));
});
