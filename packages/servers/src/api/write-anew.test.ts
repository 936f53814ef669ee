import assert from "node:assert/strict";
import { test } from "node:test";
import { KubeError } from "@capstan/kube";
import { writeAnew } from "./write-anew.ts";

const refusal = (reason: string) => new KubeError({ code: 409, reason, message: "refused" });

test("what somebody else wrote meanwhile is read anew, and written", async () => {
  let reads = 0;
  const written = await writeAnew("the object", async () => {
    reads += 1;
    if (reads < 3) throw refusal("Conflict");
    return `version ${reads}`;
  });
  assert.equal(written, "version 3");
});

test("whoever never comes first is told so after ten times, with what he wanted to write", async () => {
  let reads = 0;
  const write = writeAnew("the object", async () => {
    reads += 1;
    throw refusal("Conflict");
  });
  await assert.rejects(write, { code: "CONFLICT", message: /the object/ });
  assert.equal(reads, 10);
});

test("any other refusal stands at once", async () => {
  let reads = 0;
  const write = writeAnew("the object", async () => {
    reads += 1;
    throw refusal("AlreadyExists");
  });
  await assert.rejects(write, { reason: "AlreadyExists" });
  assert.equal(reads, 1);
});
