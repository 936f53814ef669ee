import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readOpenPgpKeys } from "./openpgp-keys.ts";

const textOf = (name: string) => readFileSync(join(import.meta.dirname, "../testdata", name), "utf8");

test("keys are what gpg says they are, each with its own text, as gpg exports it", () => {
  const keys = readOpenPgpKeys(textOf("three-keys.asc"));
  // gpg --list-public-keys of the key ring from which they were exported.
  assert.deepEqual(
    keys.map(({ fingerprint, keyId, owner, type }) => [fingerprint, keyId, owner, type]),
    [
      ["F3C9A2CEAC63F6214B3AFBD0730F6259DE05774E", "730F6259DE05774E", "Ada <ada@example.com>", "ed25519"],
      [
        "013E9040642F1586E7E94370998D37D782D8EBC3",
        "998D37D782D8EBC3",
        "Bob (release) <bob@example.com>",
        "rsa2048",
      ],
      ["59D7F45766CF6B07B9941E164881504740D5A951", "4881504740D5A951", "Cy <cy@example.com>", "nistp256"],
    ],
  );
  assert.equal(keys[0]?.armored, textOf("ada.asc"));
});

test("what is no public key is refused in words, and takes no time to speak of", () => {
  const ada = textOf("ada.asc");
  const block = (base64: string) =>
    `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${base64}\n-----END PGP PUBLIC KEY BLOCK-----\n`;
  for (const [text, says] of [
    ["hello", /holds no -----BEGIN PGP PUBLIC KEY BLOCK-----/],
    ["-----BEGIN PGP PRIVATE KEY BLOCK-----", /private key/],
    [ada.replace("mDMEa", "mDMEb"), /checksum/],
    [block("mDMEawO/DBYJ"), /not whole/],
    [block("xv8A"), /not whole/],
    [
      `-----BEGIN PGP PUBLIC KEY BLOCK-----${"-----END PGP PUBLIC KEY BLOCK-----".repeat(20_000)}`,
      /holds no key/,
    ],
    [block("iAEA"), /type 2, not with a public key/],
    [block(Buffer.from([0xc6, 8, 6, 0, 0, 0, 0, 27, 0, 0]).toString("base64")), /version 6/],
    [block("a b"), /not in base64/],
    [`${"-----BEGIN PGP PUBLIC KEY BLOCK-----\n".repeat(20_000)}x`, /holds no/],
  ] as const)
    assert.throws(() => readOpenPgpKeys(text), says);
});

test("an identity tells a terminal nothing", () => {
  const key = Buffer.concat([
    Buffer.from([0xc6, 10, 4, 0, 0, 0, 0, 1, 0, 1, 1, 0]),
    Buffer.from([0xcd, 4, 0x1b, 0x5b, 0x32, 0x4a]),
  ]);
  const [read] = readOpenPgpKeys(
    `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${key.toString("base64")}\n-----END PGP PUBLIC KEY BLOCK-----`,
  );
  assert.equal(read?.owner, "\\x1b[2J");
});
