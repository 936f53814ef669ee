/**
 * `node bench/large-repository.ts [--megabytes 300]`: a repository over HTTP whose history holds so much, a third of it
 * files of four megabytes that are still there. What one application's first render fetches and keeps on disk, beside
 * `git clone` and a shallow one; then what a further commit costs.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startGitServer } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { configMap, gitEnv, startWorld } from "@capstan/testkit/render-world";

const { values } = programFlags({ options: { megabytes: { type: "string" } } });
const total = Number(values.megabytes ?? 300);
const fileBytes = 4 * 2 ** 20;
const rounds = 3;
const run = promisify(execFile);

/** Counts what a server sends. */
async function countingProxy(target: string) {
  const counted = { bytes: 0 };
  const { hostname, port } = new URL(target);
  const server = createServer((caller) => {
    const callee = connect(Number(port), hostname);
    callee.on("data", (chunk) => {
      counted.bytes += chunk.length;
    });
    callee.on("error", () => caller.destroy());
    caller.on("error", () => callee.destroy());
    caller.pipe(callee).pipe(caller);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const own = typeof address === "object" ? address?.port : 0;
  const take = () => {
    const { bytes } = counted;
    counted.bytes = 0;
    return bytes;
  };
  return { url: target.replace(`:${port}/`, `:${own}/`), take, [Symbol.dispose]: () => void server.close() };
}

function bytesOf(dir: string): number {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
}

const shown = (bytes: number) => `${(bytes / 2 ** 20).toFixed(2).padStart(9)} MB`;
const say = (what: string, sent: number, disk: number) =>
  console.log(`${what.padEnd(44)} fetched ${shown(sent)}, on disk ${shown(disk)}`);

await using server = await startGitServer();
const git = await server.createRepository("large", {});
await git.git("config", "uploadpack.allowFilter", "true");
await git.git("config", "uploadpack.allowAnySHA1InWant", "true");
const count = Math.ceil((total * 2 ** 20) / fileBytes / rounds);
for (let round = 0; round < rounds; round++) {
  const files = Array.from({ length: count }, (_, index) => [`media/${index}.bin`, randomBytes(fileBytes)]);
  await git.commit({ ...Object.fromEntries(files), "app/a.yaml": configMap(`a${round}`) });
}
using proxy = await countingProxy(git.url);
for (const [name, options] of [
  ["git clone --bare", []],
  ["git clone --bare --depth=1", ["--depth=1"]],
] as const) {
  const dir = mkdtempSync(join(tmpdir(), "capstan-bench-"));
  await run("git", ["clone", "--quiet", "--bare", ...options, proxy.url, join(dir, "copy")], {
    env: gitEnv,
  });
  say(name, proxy.take(), bytesOf(dir));
  rmSync(dir, { recursive: true });
}
await using world = await startWorld();
const render = () => world.render({ path: "app", repoURL: proxy.url }, { repository: { url: proxy.url } });
await render();
const repos = join(world.dataDir, "repos");
say("an application's first render", proxy.take(), bytesOf(repos));
await git.commit({ "media/0.bin": randomBytes(fileBytes), "app/a.yaml": configMap("last") });
world.server.forgetRevisions(proxy.url);
await render();
say("a commit with its file and a large one", proxy.take(), bytesOf(repos));
