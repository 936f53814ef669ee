import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { realClock } from "@capstan/testkit";
import { runMain } from "../../test-main.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-rbac-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function run(words: string, text: string) {
  const file = join(folder, "policy.csv");
  await writeFile(file, text);
  const { code, out, err } = await runMain([...words.split(" "), "--policy-file", file], {
    clock: realClock,
  });
  return { code, out: out.replaceAll(file, "FILE"), err: err.replaceAll(file, "FILE") };
}

const policy = "p, eve, applications, sync, team/*, allow\n";

test("yes and no are said, and the exit code says them too", async () => {
  assert.deepEqual(await run("admin rbac can eve sync app team/web", policy), {
    code: 0,
    out: "Yes\n",
    err: "",
  });
  assert.deepEqual(await run("admin rbac can eve sync app rival/web", policy), {
    code: 1,
    out: "No\n",
    err: "",
  });
  assert.deepEqual(await run("admin settings rbac can -q eve sync app team/web", policy), {
    code: 0,
    out: "",
    err: "",
  });
});

test("beside argocd's words a rollback and repositories to write to can be asked about", async () => {
  assert.equal((await run("admin rbac can admin rollback app team/web", policy)).out, "Yes\n");
  assert.equal((await run("admin rbac can admin create write-repositories https://x", policy)).out, "Yes\n");
  assert.equal((await run("admin rbac can admin get account eve", policy)).out, "Yes\n");
});

test("a policy with a line that cannot be read answers nothing, and the line is named", async () => {
  const { code, out, err } = await run("admin rbac can eve sync app team/web", `${policy}g, eve\n`);
  assert.deepEqual([code, out], [1, ""]);
  assert.equal(
    err,
    "error: invalid user policy: FILE, line 2: a g line needs two fields behind the g: g, eve\n",
  );
});

test("each line that cannot be read is named, and what is not as it seems is said", async () => {
  const text = `p, eve\n${policy}p, eve, applications, get, x/*, Allow\n\ng, eve, role:none\n"p, eve\n`;
  const { code, out, err } = await run("admin rbac validate", text);
  assert.equal(code, 1);
  assert.match(out, /^Policy is invalid: FILE, line 1: .*\n {2}FILE, line 6: a quote is not closed: .*\n$/s);
  assert.match(err, /FILE, line 3: effect is "Allow", not allow or deny; the line gives nothing/);
  assert.match(err, /user defined roles not found in policies: role:none/);
  assert.deepEqual(await run("admin rbac validate", policy), { code: 0, out: "Policy is valid.\n", err: "" });
});
