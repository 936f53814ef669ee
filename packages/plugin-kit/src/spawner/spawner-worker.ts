/**
 * A program of its own, small, so that a fork of it costs little: starts what another process tells it to, and ends
 * with that process, and all that it started with it. Imports next to nothing, for the same reason.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { promisify } from "node:util";
import { ProgramGroup } from "../kill-group.ts";
import { SandboxEnd } from "../sandbox-end.ts";
import { isOrder, type PipesOrder, type Report, type StartOrder } from "./messages.ts";

/** By the asker's ids. */
const running = new Map<number, ProgramGroup>();
const execute = promisify(execFile);
const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

function report(message: Report): void {
  if (process.connected) process.send?.(message, ignoreLost);
}

function ignoreLost(): void {
  // The asker has gone; the channel's end tells.
}

function fail(id: number, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? { code: String(error.code) } : {};
  report({ failed: id, message, ...code });
}

/** Opens without waiting for the other side, which may have gone, yet gives the program an end that waits. */
function openPipe(path: string, flags: number): number {
  const other = openSync(path, O_NONBLOCK | (flags === O_WRONLY ? O_RDONLY : O_RDWR));
  try {
    return openSync(path, flags);
  } finally {
    closeSync(other);
  }
}

function start({ start: id, program, args, cwd, env, stdin, stdout, stderr, isSandbox }: StartOrder): void {
  const opened: number[] = [];
  const open = (path: string, flags: number) => {
    const end = openPipe(path, flags);
    opened.push(end);
    return end;
  };
  try {
    const input = stdin === undefined ? "ignore" : open(stdin, O_RDONLY);
    const info = isSandbox ? (["pipe"] as const) : [];
    const stdio = [input, open(stdout, O_WRONLY), open(stderr, O_WRONLY), ...info] as const;
    follow(id, spawn(program, args, { cwd, env, detached: true, stdio: [...stdio] }));
  } catch (error) {
    fail(id, error);
  } finally {
    for (const end of opened) closeSync(end);
  }
}

function follow(id: number, child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) {
    child.once("error", (error) => fail(id, error));
    return;
  }
  const group = ProgramGroup.of(child);
  running.set(id, group);
  report({ done: id, pid });
  const sandbox = new SandboxEnd(child.stdio);
  child.once("exit", (exitCode, killedBy) => {
    running.delete(id);
    void sandbox.wait().then(() => report({ ended: id, exitCode, killedBy }));
  });
}

function makePipes({ pipes: id, paths }: PipesOrder): void {
  execute("mkfifo", ["-m", "600", ...paths]).then(
    () => report({ done: id }),
    (error: unknown) => report({ failed: id, message: `cannot make pipes: ${error}` }),
  );
}

process.on("message", (order: unknown) => {
  if (!isOrder(order)) return;
  if ("start" in order) start(order);
  else if ("pipes" in order) makePipes(order);
  else running.get(order.kill)?.kill(order.signal);
});
process.once("disconnect", () => {
  for (const group of running.values()) {
    group.kill("SIGKILL");
    group.end();
  }
  process.exit();
});
