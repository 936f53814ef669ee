import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommitLines, readTagStatus } from "./commit-signature.ts";

const fingerprint = "CA457B46A98DC5DC28F2ECD361CE8EA1A87BABFC";
const id = fingerprint.slice(-16);
const good = `[GNUPG:] GOODSIG ${id} Ann <ann@example.com>`;
const valid = `[GNUPG:] VALIDSIG ${fingerprint} 2026-01-01 1767225600 0 4 0 22 8 00 ${fingerprint}`;

/** Statuses of gpg, and what is made of them. */
const facts: readonly (readonly [fact: string, status: string, verdict: string])[] = [
  ["good", `[GNUPG:] NEWSIG\n${good}\n${valid}\n`, "signed"],
  ["nothing", "error: no signature found\n", "unsigned"],
  ["good, and not valid", `${good}\n`, "bad signature"],
  ["two at once", `${good}\n${valid}\n[GNUPG:] GOODSIG 0123456789ABCDEF Eve\n`, "bad signature"],
  ["good and bad", `[GNUPG:] BADSIG ${id} Ann\n${good}\n${valid}\n`, "bad signature"],
  ["within a line", `error: [GNUPG:] GOODSIG ${id} Ann\n`, "unsigned"],
  [
    "not known",
    `[GNUPG:] ERRSIG ${id} 22 8 00 1767225600 9 ${fingerprint}\n`,
    "signed with key not in keyring",
  ],
  ["ended", `[GNUPG:] EXPKEYSIG ${id} Ann\n${valid}\n`, "signed with expired key"],
];

for (const [fact, status, verdict] of facts)
  test(`a tag's signature: ${fact}`, () => {
    const found = readTagStatus(status, { name: "v1", tagger: "Ann\u001b[2J" });
    assert.equal(found.verdict, verdict);
    assert.equal(found.author, "Ann\\u001b[2J");
    if (verdict === "signed") assert.deepEqual(found.fingerprints, [fingerprint, fingerprint]);
  });

test("what git does not write so is no signature", () => {
  const sha = "1".repeat(40);
  assert.equal(
    readCommitLines(`${sha}\0G\0${id}\0${fingerprint}\0${fingerprint}\0a\n`)[0]?.verdict,
    "signed",
  );
  for (const line of [`${sha}\0?\0\0\0\0a`, `x\0G\0\0\0\0a`, `${sha}\0G`, "commit"])
    assert.throws(() => readCommitLines(`${line}\n`), /no commit with its signature/);
});
