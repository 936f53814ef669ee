import { spawn } from "node:child_process";
import { once } from "node:events";
import { rename, rm, symlink } from "node:fs/promises";
import { availableParallelism, constants, setPriority } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { folderOf, type Group, type Program } from "./groups.ts";

export type Built = "built" | "does not compile" | "cannot be had";

export const bin = join(import.meta.dirname, "bin");
/** More compilers at once than this take more memory than a small machine has. */
const mostCompilers = 4;
const keptLines = 40;
/** Where no terminal shows a moving line, a line now and then says that it goes on. */
const sayEveryMs = 30_000;
/** Of a network, memory or disk: nothing that a change of ours has done. */
const lackOfMeans =
  /signal: killed|cannot allocate memory|no space left|dial tcp|no such host|i\/o timeout|connection (refused|reset)|TLS handshake|proxyconnect|unexpected EOF|50[234] |unrecognized import path/;

export function flagsOf({ ldflags }: Group): readonly string[] {
  return ["-buildvcs=false", ...(ldflags ? ["-ldflags", ldflags] : [])];
}

/** `checkout` holds the programs of a group that is a repository. */
export async function buildProgram(group: Group, program: Program, checkout?: string): Promise<Built> {
  // In place only when whole: tests of others may be running the old one.
  const fresh = join(bin, `.${program.name}.${process.pid}`);
  const compilers = ["-p", `${Math.min(mostCompilers, availableParallelism())}`];
  const verb = program.isTest ? ["test", "-c"] : ["build", "-v"];
  const args = [...verb, ...compilers, ...flagsOf(group), "-o", fresh, checkout ? "." : program.package];
  const folder = checkout ? join(checkout, program.package) : folderOf(group);
  const platform = program.isWasm ? { GOOS: "js", GOARCH: "wasm" } : {};
  const { status, lines } = await runGo(`${group.name}: ${program.name}`, args, { folder, platform });
  if (status !== 0) {
    await rm(fresh, { force: true });
    console.log(lines.join("\n"));
    return lines.some((line) => lackOfMeans.test(line)) ? "cannot be had" : "does not compile";
  }
  await rename(fresh, join(bin, program.name));
  for (const link of program.links ?? []) {
    await rm(join(bin, link), { force: true });
    await symlink(program.name, join(bin, link));
  }
  return "built";
}

/** Go tells each package that it compiles and each module that it fetches on a line of its own. */
async function runGo(
  title: string,
  args: readonly string[],
  { folder, platform }: { folder: string; platform: Readonly<Record<string, string>> },
) {
  const env = { ...process.env, ...platform };
  const child = spawn("go", args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const progress = startProgress(title);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    if (/^[\w.\-/~]+$/.test(line)) progress.compiled();
    else if (line.startsWith("go: downloading ")) progress.fetched();
    else lines.push(line);
    if (lines.length > keptLines) lines.shift();
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  progress.end(child.exitCode === 0 ? "done" : "FAILED");
  return { status: child.exitCode, lines };
}

function startProgress(title: string) {
  const started = performance.now();
  const isTerminal = process.stdout.isTTY;
  const count = { packages: 0, modules: 0 };
  const text = () => {
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    const fetched = count.modules > 0 ? `, ${count.modules} modules fetched` : "";
    return `${title}: ${count.packages} packages compiled${fetched}, ${seconds} s`;
  };
  const show = () => process.stdout.write(isTerminal ? `\r\x1b[K${text()}` : `${text()} …\n`);
  const timer = setInterval(show, isTerminal ? 1_000 : sayEveryMs);
  return {
    compiled: () => {
      count.packages += 1;
    },
    fetched: () => {
      count.modules += 1;
    },
    end: (outcome: string) => {
      clearInterval(timer);
      process.stdout.write(`${isTerminal ? "\r\x1b[K" : ""}${text()}: ${outcome}\n`);
    },
  };
}
