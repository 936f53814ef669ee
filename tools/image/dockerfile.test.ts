import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { test } from "node:test";
import { openFolders } from "@capstan/registries";
import { imageConfig } from "./image-config.ts";

const top = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(top, path), "utf8");
const { version, dependencies } = JSON.parse(read("package.json"));

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** Of each stage, in order; what stands before the first one is the first. */
function readStages(text: string): Instruction[][] {
  const stages: Instruction[][] = [[]];
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [word = "", ...rest] = line.split(" ");
    if (word === "FROM") stages.push([]);
    stages.at(-1)?.push({ word, rest: rest.join(" ") });
  }
  return stages;
}

const [args = [], made = [], final = []] = readStages(read("deploy/image/Dockerfile"));
const all = (stage: readonly Instruction[], wanted: string): string[] =>
  stage.filter(({ word }) => word === wanted).map(({ rest }) => rest);

test("the Dockerfile says of a container what npm run image says", () => {
  const { User, Env, Entrypoint, WorkingDir, Labels } = imageConfig(version);
  assert.deepEqual(all(final, "USER"), [User]);
  assert.deepEqual(all(final, "ENV"), Env);
  assert.deepEqual(
    all(final, "ENTRYPOINT").map((one) => JSON.parse(one)),
    [Entrypoint],
  );
  assert.deepEqual(all(final, "WORKDIR"), [WorkingDir]);
  assert.deepEqual(
    all(final, "LABEL"),
    Object.entries(Labels).map(([name, value]) => `${name}=${value}`),
  );
  assert.deepEqual(all(final, "EXPOSE").concat(all(final, "CMD"), all(final, "RUN")), []);
});

test("it takes nothing but what tools/image.ts lays out, open where that is open", () => {
  assert.deepEqual(all(final, "FROM"), ["scratch"]);
  assert.deepEqual(all(final, "COPY"), ["--from=made /image/ /"]);
  const commands = all(made, "RUN");
  assert.ok(commands.some((one) => one.startsWith("node tools/image.ts --root /image --platform ")));
  assert.equal(commands.at(-1), `cd /image && chmod 1777 ${openFolders.join(" ")}`);
});

test("it is made with the pinned Node, by tag, and by the digest that whoever builds it gives", () => {
  assert.deepEqual(all(args, "ARG"), [`NODE=${dependencies.node}-bookworm-slim`, "NODE_DIGEST"]);
  assert.deepEqual(all(made, "FROM"), ["node:${NODE}${NODE_DIGEST} AS made"]);
});

test("all that git has is copied into it, and nothing that a clone only holds", () => {
  const ignored = read("deploy/image/Dockerfile.dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const isIgnored = (path: string): boolean =>
    ignored.some((glob) => matchesGlob(path, glob) || matchesGlob(path, `${glob}/**`));
  const tracked = execFileSync("git", ["ls-files"], { cwd: top, encoding: "utf8", maxBuffer: 50_000_000 });
  assert.deepEqual(tracked.trim().split("\n").filter(isIgnored), []);
  for (const path of [
    ".git/config",
    "node_modules/x/y.js",
    "packages/cli/node_modules/x/y.js",
    "dist/image/index.json",
    ".capstan/dev/admin-password",
    "testenv/bin/argocd",
  ])
    assert.ok(isIgnored(path), path);
});
