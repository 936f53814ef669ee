import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { dumpYaml } from "@capstan/formats/yaml";
import { parseYaml } from "@capstan/model";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { decryptFile } from "./decrypt-file.ts";
import { formatOf } from "./encrypted-file.ts";
import { keyServices } from "./keys/key-services.ts";

const sops = join(import.meta.dirname, "../../../testenv/bin/sops");
const skip = existsSync(sops) ? false : "sops is not built: npm run testenv sops";
const folder = await mkdtemp(join(tmpdir(), "capstan-sops-"));
after(() => rm(folder, { recursive: true, force: true }));
const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
const env = { PATH: process.env.PATH, SOPS_AGE_KEY: identity };
const clock = {
  now: () => Date.now(),
  sleep: async (ms: number, signal: AbortSignal) => {
    await sleep(ms, undefined, { signal });
  },
};
const services = keyServices(env, clock);

/** By a creation rule of .sops.yaml. */
async function encrypt(name: string, text: string, rule: object = { age: recipient }) {
  const [file, config] = [join(folder, name), join(folder, "config.yaml")];
  await writeFile(file, text);
  await writeFile(config, dumpYaml({ creation_rules: [rule] }));
  execFileSync(sops, ["--config", config, "encrypt", "--in-place", file], {
    env: { ...process.env, ...env },
  });
  return readFile(file, "utf8");
}

function decrypt(name: string, text: string): Promise<Buffer> {
  const signal = AbortSignal.timeout(100_000);
  return decryptFile(text, { file: name, format: formatOf(name), services, signal });
}

async function sopsDecrypts(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return execFileSync(sops, ["decrypt", join(folder, name)], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
}

const rich = `# a comment at the top
apiVersion: v1
kind: Secret
metadata:
    name: web # beside
    labels: {a: "1", b: two}
data_unencrypted:
    port: 010
    ratio: 1e3
    when: 2001-12-14T21:59:43.10-05:00
    day: 2002-12-14
    none: null
    also none: ~
stringData:
    # before the password
    password: "p: @ss\\nword"
    empty: ""
    number: 42
    big: 12345678901234567890123
    float: 3.5
    yes: true
    text: "yes"
    digits: "0123"
    block: |
        first
        second
    list:
        - one
        # in between
        - 2
        - {deep: [a, b], c: null}
    "10": ten
    "9": nine
`;

test("what the real sops encrypts comes back with the same values", { skip }, async () => {
  const text = await encrypt("rich.yaml", rich);
  const mine = (await decrypt("rich.yaml", text)).toString();
  assert.deepEqual(parseYaml(mine), parseYaml(await sopsDecrypts("rich.yaml", text)));
  assert.match(mine, /# before the password/);
  assert.match(mine, /# in between/);
});

test("all documents of a file", { skip }, async () => {
  const text = await encrypt("many.yaml", "a: 1\n---\nb: two # why\n---\nc: {d: true}\n");
  const mine = (await decrypt("many.yaml", text)).toString().split("---\n");
  assert.deepEqual(
    mine.map((one) => parseYaml(one)),
    [{ a: 1 }, { b: "two" }, { c: { d: true } }],
  );
});

const rules: Readonly<Record<string, string>> = {
  encrypted_suffix: "word",
  unencrypted_suffix: "Data",
  encrypted_regex: "^(data|stringData)$",
  unencrypted_regex: "^(metadata|kind|apiVersion)$",
  encrypted_comment_regex: "before",
  unencrypted_comment_regex: "before|between",
};

for (const [selection, value] of Object.entries(rules))
  for (const only of [false, true])
    test(`selected by ${selection}, MAC ${only ? "over what is encrypted" : "over all"}`, {
      skip,
    }, async () => {
      const rule = { age: recipient, [selection]: value, mac_only_encrypted: only };
      const text = await encrypt("rule.yaml", rich, rule);
      const mine = (await decrypt("rule.yaml", text)).toString();
      assert.deepEqual(parseYaml(mine), parseYaml(await sopsDecrypts("rule.yaml", text)));
    });

const files: Readonly<Record<string, string>> = {
  "a.json": JSON.stringify({
    a: "x\u00e9\n/",
    10: 1,
    9: [1.5, 1e20, -0.25, true, null, { b: "" }],
    c_unencrypted: 7,
  }),
  "a.env": "# first\nA=one\nB=two\\nlines\nC=\nD=a=b\n",
  "a.ini":
    "; about it\n[server]\nhost = example.org\n; the port\nport = 8080\n\n[other]\nkey = value with spaces\n",
  "a.bin": "any\u0001thing\nat all\n",
};

for (const [name, content] of Object.entries(files))
  test(`the file ${name}`, { skip }, async () => {
    const text = await encrypt(name, content);
    assert.equal((await decrypt(name, text)).toString(), await sopsDecrypts(name, text));
  });

test("key groups: as many as the threshold, of those that can be used", { skip }, async () => {
  const [other, third] = [await generateX25519Identity(), await generateX25519Identity()];
  const others = [await identityToRecipient(other), await identityToRecipient(third)];
  const groups = [recipient, ...others].map((one) => ({ age: [one] }));
  const text = await encrypt("groups.yaml", "a: secret\n", { shamir_threshold: 2, key_groups: groups });
  await assert.rejects(decrypt("groups.yaml", text), /1 of 2 key groups could be used/);
  const both = keyServices({ ...env, SOPS_AGE_KEY: `${identity}\n${third}` }, clock);
  const signal = AbortSignal.timeout(100_000);
  const mine = await decryptFile(text, { file: "groups.yaml", format: "yaml", services: both, signal });
  assert.deepEqual(parseYaml(mine.toString()), { a: "secret" });
});

test("what was added, taken away, moved or left in clear is refused and named", { skip }, async () => {
  const text = await encrypt("changed.yaml", "a: one\nb: two\nopen_unencrypted: three\n");
  const line = (key: string) => text.split("\n").find((one) => one.startsWith(`${key}:`)) ?? "";
  await assert.rejects(
    decrypt("changed.yaml", text.replace(line("a"), "a: plain")),
    /at a: .*should be encrypted/,
  );
  await assert.rejects(
    decrypt("changed.yaml", text.replace(`${line("a")}\n`, "")),
    /not those that were encrypted/,
  );
  await assert.rejects(
    decrypt("changed.yaml", text.replace("three", "four")),
    /not those that were encrypted/,
  );
  const moved = text.replace(line("a"), `a: ${line("b").slice(3)}`);
  await assert.rejects(decrypt("changed.yaml", moved), /at a: .*moved to another key/);
  await assert.rejects(decrypt("changed.yaml", "a: 1\n"), /has no entries of sops/);
});

test("without a key it says which would do", { skip }, async () => {
  const text = await encrypt("nokey.yaml", "a: one\n");
  const signal = AbortSignal.timeout(100_000);
  const none = keyServices({}, clock);
  const rejected = decryptFile(text, { file: "nokey.yaml", format: "yaml", services: none, signal });
  await assert.rejects(rejected, new RegExp(`age ${recipient}: no age key: set SOPS_AGE_KEY`));
});
