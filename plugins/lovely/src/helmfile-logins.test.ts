import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ChartLogin } from "@capstan/plugin-kit";
import { helmWithLogins } from "./helmfile-logins.ts";

const checked = "https://charts.example";
const registry = "oci://registry.example/charts";
const unchecked = "https://open.example";

test("a helmfile that leaves out TLS's checks gets no login, but where the operator's repository leaves them out", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-helmfile-logins-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const helm = join(dir, "helm");
  await writeFile(helm, '#!/bin/sh\ncat\ncat "$HELM_REGISTRY_CONFIG"\n');
  await chmod(helm, 0o755);
  const login = { username: "ada", password: "operators-own" };
  const logins: Record<string, ChartLogin> = {
    [checked]: login,
    [registry]: login,
    [unchecked]: { ...login, insecure: true },
  };
  const stage: Parameters<typeof helmWithLogins>[2] = {
    env: { XDG_CACHE_HOME: dir },
    chartLogin: async (url) => logins[url] ?? {},
    workspace: async () => ({ root: dir, refs: {}, scratch: dir }),
  };
  const env =
    (await helmWithLogins(
      helm,
      Object.keys(logins).map((url) => `"${url}"`),
      stage,
    )) ?? {};
  const run = (...args: string[]) => {
    const options = { env: { PATH: process.env.PATH, ...env }, input: "", encoding: "utf8" } as const;
    const { stdout, stderr, status } = spawnSync(env.HELMFILE_HELM_BINARY ?? "", args, options);
    return { out: stdout, said: `${status} ${stderr}` };
  };
  const encoded = Buffer.from("ada:operators-own").toString("base64");
  assert.match(run("repo", "add", "x", checked).out, /operators-own/);
  assert.match(run("pull", `${registry}/app`).out, new RegExp(encoded));
  for (const open of ["--insecure-skip-tls-verify", "--insecure-skip-tls-verify=true", "--plain-http"]) {
    for (const args of [
      ["repo", "add", "x", checked],
      ["pull", `${registry}/app`],
    ]) {
      const { out, said } = run(...args, open);
      assert.match(said, /^1 .* has a login in Capstan/);
      assert.equal(out, "");
    }
    assert.ok(!run("template", `${registry}/app`, open).out.includes(encoded));
    assert.match(run("repo", "add", "x", unchecked, open).out, /operators-own/);
  }
});
