import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import type { Unwrap } from "./data-key.ts";
import { decryptFile } from "./decrypt-file.ts";
import { formatOf } from "./encrypted-file.ts";
import { keyServices } from "./keys/key-services.ts";

const sops = join(import.meta.dirname, "../../../testenv/bin/sops");
const skip = existsSync(sops) ? false : "sops is not built: npm run testenv sops";
const folder = await mkdtemp(join(tmpdir(), "capstan-flips-"));
after(() => rm(folder, { recursive: true, force: true }));
const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
const age = keyServices({ SOPS_AGE_KEY: identity }, systemClock).age;
const signal = new AbortController().signal;

/** The key that was wrapped is worked out once; what was changed is given to age itself. */
function remembering(): Unwrap {
  const known = new Map<string, Promise<Buffer>>();
  return async (key, inner) => {
    if (!age) throw new Error("there is no age");
    const text = key.fields.enc ?? "";
    const first = known.size === 0;
    const found = known.get(text) ?? age(key, inner);
    if (first) known.set(text, found);
    return found;
  };
}

const files: Readonly<Record<string, string>> = {
  "flip.yaml": "user: admin\nlist:\n  - hidden\n  - 3\ndeep: {on: true, ratio: 1.5}\nport_unencrypted: 80\n",
  "flip.json": '{"user":"admin","list":["hidden",3],"on":true,"port_unencrypted":80}\n',
  "flip.env": "USER=admin\nWORD=hidden\n",
  "flip.ini": "[server]\nuser = admin\nword = hidden\n",
  "flip.bin": "admin\u0001hidden\n",
};

/** Everything sops binds: keys of values in clear are not, so none of those is changed here. */
function isUnbound(text: string, at: number): boolean {
  const clear = text.indexOf("port_unencrypted");
  return clear >= 0 && at >= clear - 1 && at < clear + "port_unencrypted".length + 1;
}

for (const [name, content] of Object.entries(files))
  test(`a bit flipped anywhere in ${name} is refused, or changes nothing that is read`, {
    skip,
  }, async () => {
    const file = join(folder, name);
    await writeFile(file, content);
    execFileSync(sops, ["encrypt", "--in-place", "--age", recipient, file], {
      env: { PATH: process.env.PATH, HOME: folder },
    });
    const text = await readFile(file, "utf8");
    const services = { age: remembering() };
    const decrypt = async (changed: string) =>
      (await decryptFile(changed, { file: name, format: formatOf(name), services, signal })).toString();
    const plain = await decrypt(text);
    let refused = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (isUnbound(text, at)) continue;
      const bytes = Buffer.from(text);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 7));
      const shown = `at ${at}: ${JSON.stringify(bytes.toString().slice(Math.max(0, at - 20), at + 20))}`;
      try {
        assert.equal((await decrypt(bytes.toString())).trim(), plain.trim(), shown);
      } catch (error) {
        if (!(error instanceof CapstanError)) throw error;
        assert.doesNotMatch(error.message, /admin|hidden/, shown);
        refused += 1;
      }
    }
    assert.ok(refused > text.length / 3, `${refused} of ${text.length} were refused`);
  });
