import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Clock, systemClock } from "@capstan/flow";
import { type ApplicationSource, CapstanError, type Failure } from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";
import { createRepoServer, type RepoServerOptions } from "@capstan/render";
import type { ManifestRequest } from "@capstan/wire";
import { builtInPlugins } from "./built-in-plugins.ts";
import { commitFiles } from "./commit-files.ts";
import { layOutRepository } from "./git-repository.ts";

export { systemClock as realClock };

/** A clock that stands still until it is moved; sleeps never end on their own. */
export class StandingClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00Z");

  now(): number {
    return this.#now;
  }

  sleep(_ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  }

  pass(ms: number): void {
    this.#now += ms;
  }
}

/** Remembers what was logged. */
export class TestLog implements Log {
  readonly lines: { level: string; message: string; fields: object }[] = [];
  debug = (fields: object, message: string) => void this.lines.push({ level: "debug", fields, message });
  info = (fields: object, message: string) => void this.lines.push({ level: "info", fields, message });
  warn = (fields: object, message: string) => void this.lines.push({ level: "warn", fields, message });
  error = (fields: object, message: string) => void this.lines.push({ level: "error", fields, message });

  get renders(): number {
    return this.lines.filter(({ message }) => message === "rendered").length;
  }
}

export const gitEnv = {
  PATH: process.env.PATH ?? "",
  HOME: "/dev/null",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** A folder that is gone after the test. */
export class TempFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "capstan-test-"));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A repository of its own with a work tree, as a person would have it. */
export class TestRepository {
  readonly dir: string;
  readonly url: string;

  constructor(parent: string, name = "repository") {
    this.dir = join(parent, name);
    this.url = `file://${this.dir}`;
    layOutRepository(this.dir);
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.dir, env: gitEnv, encoding: "utf8" }).trim();
  }

  /** Writes the files (a link as { link }, a removal as undefined) and commits all; gives the commit. */
  commit(files: Record<string, string | { link: string } | undefined>, message = "Change"): string {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.dir, name);
      rmSync(path, { recursive: true, force: true });
      if (content === undefined) continue;
      mkdirSync(dirname(path), { recursive: true });
      if (typeof content === "string") writeFileSync(path, content);
      else symlinkSync(content.link, path);
    }
    return commitFiles(this.dir, message, gitEnv);
  }
}

export const noSignal = new AbortController().signal;

/** A repo server with a repository, both gone after the test; `plugins` beside the built-in ones. */
export async function startWorld({ plugins = [], ...options }: Partial<RepoServerOptions> = {}) {
  const folder = new TempFolder();
  const repository = new TestRepository(folder.path);
  const log = new TestLog();
  const dataDir = join(folder.path, "data");
  const { PATH, HOME, XDG_CACHE_HOME, CAPSTAN_CACHE } = process.env;
  const env = { PATH, HOME, XDG_CACHE_HOME, CAPSTAN_CACHE, GIT_CONFIG_NOSYSTEM: "1" };
  const server = await createRepoServer({
    ...{ dataDir, clock: systemClock, log, env, secretStores: "*" },
    ...options,
    plugins: [...builtInPlugins, ...plugins],
  });
  const request = (
    source: Partial<ApplicationSource>,
    more: Partial<ManifestRequest> = {},
  ): ManifestRequest => ({
    repository: { url: repository.url },
    source: { repoURL: repository.url, targetRevision: "main", ...source },
    appName: "web",
    namespace: "shop",
    project: "default",
    kubeVersion: "1.34.0",
    apiVersions: [],
    ...more,
  });
  return {
    server,
    repository,
    log,
    folder: folder.path,
    dataDir,
    request,
    render: (source: Partial<ApplicationSource>, more: Partial<ManifestRequest> = {}) =>
      server.generateManifests(request(source, more), noSignal),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

export function configMap(name: string, data: Record<string, string> = {}): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
}

/** Checks for assert.rejects: a failure of ours with these facts. */
export function failsWith(facts: Partial<Failure>, message?: RegExp) {
  return (error: unknown): boolean => {
    if (!(error instanceof CapstanError)) throw error;
    for (const [name, value] of Object.entries(facts)) {
      const actual = Object.entries(error.failure).find(([field]) => field === name)?.[1];
      if (JSON.stringify(actual) !== JSON.stringify(value))
        throw new Error(
          `${name} is ${JSON.stringify(actual)}, not ${JSON.stringify(value)}: ${error.message}`,
        );
    }
    if (message && !message.test(error.message)) throw new Error(`unexpected message: ${error.message}`);
    return true;
  };
}

/** A git before the real one on PATH that writes down what it is called for. */
export function recordingGit(folder: string): { path: string; calls: () => string[] } {
  const bin = join(folder, "bin");
  const record = join(folder, "calls");
  mkdirSync(bin);
  writeFileSync(record, "");
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh\necho "$*" >> '${record}'\nPATH='${gitEnv.PATH}' exec git "$@"\n`,
  );
  chmodSync(join(bin, "git"), 0o755);
  return { path: `${bin}:${gitEnv.PATH}`, calls: () => readFileSync(record, "utf8").trim().split("\n") };
}
