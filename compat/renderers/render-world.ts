import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { ApplicationSource } from "@capstan/model";
import { createRepoServer, type RepoServerOptions } from "@capstan/render";
import { createGitRepository, type Files, realClock, realProgramPath } from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import type { ManifestRequest } from "@capstan/wire";

const run = promisify(execFile);

/** The folder with the real programs before all others. */
function realPath(): string {
  return `${dirname(realProgramPath("helm4"))}:${process.env.PATH}`;
}

/** A repo server with a git repository of its own. */
export async function openRenderWorld(
  files: Files,
  { plugins = [], ...options }: Partial<RepoServerOptions> = {},
) {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-renderers-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const repository = opened.use(await createGitRepository(files));
  const logged: object[] = [];
  const at = (fields: object, message: string) => void logged.push({ fields, message });
  const log = { debug: at, info: at, warn: at, error: at };
  const { HOME, XDG_CACHE_HOME, CAPSTAN_CACHE } = process.env;
  const env = { PATH: realPath(), HOME, XDG_CACHE_HOME, CAPSTAN_CACHE, GIT_CONFIG_NOSYSTEM: "1" };
  const dataDir = join(dir, "data");
  const server = opened.use(
    await createRepoServer({
      ...{ dataDir, clock: realClock, log, env, secretStores: "*" },
      ...options,
      plugins: [...builtInPlugins, ...plugins],
    }),
  );
  const render = (source: Partial<ApplicationSource>, more: Partial<ManifestRequest> = {}) => {
    const request = {
      repository: { url: repository.url },
      source: { repoURL: repository.url, targetRevision: "HEAD", ...source },
      appName: "web",
      namespace: "shop",
      project: "default",
      sourceRepos: ["*"],
      kubeVersion: "1.34.0",
      apiVersions: [],
      ...more,
    };
    return server.generateManifests(request, AbortSignal.timeout(600_000));
  };
  const closing = opened.move();
  return {
    ...{ dir, dataDir, repository, server, logged, render },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

export const credentials = { username: "robot", password: "pass-word-of-robot" };

/** Packs charts and pushes them to a registry. */
export async function pushCharts(
  host: string,
  charts: readonly { name: string; version: string; files: Files }[],
) {
  const dir = await mkdtemp(join(tmpdir(), "capstan-push-"));
  try {
    const helm = async (...args: string[]) =>
      run(realProgramPath("helm4"), args, {
        cwd: dir,
        env: { PATH: realPath(), HOME: dir, DOCKER_CONFIG: dir },
      });
    const { username, password } = credentials;
    await helm("registry", "login", host, "--plain-http", "--username", username, "--password", password);
    for (const { name, version, files } of charts) {
      const chart = await createGitRepository({
        "Chart.yaml": JSON.stringify({ apiVersion: "v2", name, version }),
        ...files,
      });
      await helm("package", chart.dir);
      await chart[Symbol.asyncDispose]();
      await helm("push", `${name}-${version}.tgz`, `oci://${host}/charts`, "--plain-http");
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
