import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { allFolders, CapstanError, isCapstanError } from "@capstan/model";
import type { ManifestRequest, RepoServer, RepoServerState } from "@capstan/wire";
import { RepoKeeper } from "./repo-keeper.ts";
import { type RepoSurroundings, serveRepoServer } from "./repo-listener.ts";
import type { RepoEnd, RepoProcess, RepoStart } from "./repo-process.ts";

const never = new AbortController().signal;
const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
/** Waits are over at once, but those that are for what hangs. */
const clock = {
  now: () => 0,
  sleep: async (ms: number, signal: AbortSignal) => {
    if (ms < 5_000) return;
    await untilAborted(signal);
  },
};
async function untilAborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
const repository = { url: "https://git.example/a" };
const request: ManifestRequest = {
  repository,
  source: { repoURL: repository.url },
  appName: "web",
  namespace: "web",
  project: "default",
  kubeVersion: "1.34",
  apiVersions: [],
};
const response = {
  manifests: [{ manifest: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }, digest: "1" }],
  revision: "abc",
  sourceType: "Directory",
  plugin: "directory",
  commands: [],
  cache: "miss" as const,
  timings: { queueMs: 0, fetchMs: 0, chooseMs: 0, transferMs: 0, stages: [] },
};

interface World extends AsyncDisposable {
  readonly keeper: RepoKeeper;
  readonly state: { -readonly [Key in keyof RepoServerState]: RepoServerState[Key] };
  readonly counted: unknown[][];
  starts(): number;
  kill(): void;
  /** The process that is there now sees files that are there no more. */
  outdate(): void;
  end(life: number, cause: RepoEnd["cause"]): void;
  /** Folders of this machine that a process may fetch from, in their order. */
  readonly permitted: readonly string[];
  /** Of the processes that were started. */
  readonly roles: readonly string[];
  /** Requests about repositories that began and ended. */
  readonly pending: readonly (readonly [repo: string, by: 1 | -1])[];
}

/** A keeper whose processes are in this one; the first of them, as many as said, cannot be started. */
function openWorld(
  answer: (from: RepoSurroundings, life: number) => Partial<RepoServer>,
  failedStarts = 0,
): World {
  let lives = 0;
  let outdated = 0;
  let last: RepoProcess | undefined;
  const ends = new Map<number, (cause?: RepoEnd["cause"]) => void>();
  const roles: string[] = [];
  const permitted: string[] = [];
  const counted: unknown[][] = [];
  const count =
    (name: string) =>
    (...args: unknown[]): void =>
      void counted.push([name, ...args]);
  const state: World["state"] = { pipelines: [], pluginServices: [], pluginAccess: {} };
  const start = async ({ role }: RepoStart): Promise<RepoProcess> => {
    lives += 1;
    const life = lives;
    if (life <= failedStarts) throw new Error("no more processes");
    const [ours, its] = duplexPair();
    const ended = Promise.withResolvers<RepoEnd>();
    void serveRepoServer(its, async (from) => {
      const missing = () => Promise.reject(new Error("not asked here"));
      const base = {
        generateManifests: missing,
        identifyAnswer: missing,
        explainRender: missing,
        describeSource: missing,
      };
      const more = {
        resolveRevision: missing,
        revisionMetadata: missing,
        verifySignatures: missing,
        listRefs: missing,
        listCharts: missing,
        listApps: missing,
        readGitContent: missing,
        changedFiles: missing,
        fetchRevision: missing,
      };
      const rest = {
        writeFiles: missing,
        testRepository: missing,
        forgetRevisions: () => undefined,
        listPlugins: async () => [],
      };
      const dispose = { [Symbol.asyncDispose]: async () => undefined };
      return { ...base, ...more, ...rest, ...answer(from, life), ...dispose };
    }).then(() => ended.resolve({ how: "it ended", cause: "crash" }));
    const kill = (cause: RepoEnd["cause"] = "killed"): void => {
      ended.resolve({ how: "it was ended", cause, limit: "2 GiB" });
      its.destroy();
    };
    ends.set(life, kill);
    roles.push(role);
    last = {
      stream: ours,
      ended: ended.promise,
      kill,
      isOutdated: () => outdated === life,
      localGit: {
        address: { port: life, token: "t" },
        permit: (folders) => void permitted.push(...folders),
        [Symbol.dispose]: () => undefined,
      },
      whyNotConfined: "no bwrap",
    };
    return last;
  };
  const pending: [string, 1 | -1][] = [];
  const metrics = {
    queue: count("queue"),
    answered: count("answered"),
    rendered: count("rendered"),
    failed: count("failed"),
    git: count("git"),
    oci: count("oci"),
    pending: (...asked: [string, 1 | -1]) => void pending.push(asked),
    sent: count("sent"),
  };
  const setup = {
    dataDir: "d",
    pluginSockets: [],
    pluginTarExclude: [],
    pluginUseManifestGeneratePaths: false,
    folders: allFolders,
    secretStores: "*",
  };
  const readSecret = async ({ name }: { name: string }) => (name === "there" ? { key: "value" } : undefined);
  const parent = { setup, state: () => ({ ...state }), readSecret, log: quiet, metrics };
  const keeper = new RepoKeeper({
    start,
    parent,
    aloneDataDir: "alone",
    clock,
  });
  return {
    keeper,
    state,
    counted,
    starts: () => lives,
    kill: () => last?.kill(),
    outdate: () => {
      outdated = lives;
    },
    end: (life, cause) => ends.get(life)?.(cause),
    roles,
    permitted,
    pending,
    [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose](),
  };
}

test("answers and failures are those of the repo server; what it counts is counted here", async () => {
  const failure = { code: "PATH_MISSING", path: "web", revision: "abc" } as const;
  await using world = openWorld(({ metrics }) => ({
    generateManifests: async () => {
      metrics.answered("miss");
      metrics.rendered("directory", 5, 0);
      return response;
    },
    describeSource: () => Promise.reject(new CapstanError(failure)),
    testRepository: async () => undefined,
  }));
  assert.deepEqual(await world.keeper.generateManifests(request, never), {
    ...response,
    manifests: [{ ...response.manifests[0] }],
  });
  await assert.rejects(world.keeper.describeSource(request, never), (error) => {
    assert.deepEqual(isCapstanError(error) && error.failure, failure);
    return true;
  });
  assert.equal(await world.keeper.testRepository({ repository }, never), undefined);
  while (world.counted.length === 0) await nextTurn();
  assert.deepEqual(world.counted, [
    ["answered", "miss"],
    ["rendered", "directory", 5, 0],
  ]);
  const { url } = repository;
  const each = [
    [url, 1],
    [url, -1],
  ];
  assert.deepEqual(world.pending, [...each, ...each, ...each]);
});

/** Answers from this life on; before, what is asked begins and has no end. */
function hangingUntil(answered: number, life: number, begun: PromiseWithResolvers<void>) {
  return {
    generateManifests(_request: ManifestRequest, signal: AbortSignal) {
      if (life >= answered) return Promise.resolve(response);
      begun.resolve();
      return untilAborted(signal);
    },
  };
}

test("a repo server that ends in the middle is started again, and asked again", async () => {
  const begun = Promise.withResolvers<void>();
  await using world = openWorld((_, life) => hangingUntil(2, life, begun));
  const answer = world.keeper.generateManifests(request, never);
  await begun.promise;
  world.kill();
  assert.equal((await answer).revision, "abc");
  assert.equal(world.starts(), 2);
  assert.deepEqual(world.counted.at(-1), ["queue", { waiting: 0, running: 0 }]);
});

test("a process that sees no more what it is to see makes room for another, and what it was asked is asked again", async () => {
  let begun = Promise.withResolvers<void>();
  let answered = 2;
  await using world = openWorld((_, life) => ({
    generateManifests: (...asked) => hangingUntil(answered, life, begun).generateManifests(...asked),
    testRepository: async () => assert.equal(life, answered),
  }));
  // As often as would make a suspect of what ends a process itself.
  for (; answered < 5; answered += 1) {
    const answer = world.keeper.generateManifests(request, never);
    await begun.promise;
    begun = Promise.withResolvers();
    world.outdate();
    await world.keeper.testRepository({ repository }, never);
    assert.equal((await answer).revision, "abc");
    assert.equal(world.starts(), answered);
  }
  assert.deepEqual(new Set(world.roles), new Set(["main"]));
});

test("a process that cannot be started is tried again", async () => {
  await using world = openWorld(() => ({ generateManifests: async () => response }), 2);
  assert.equal((await world.keeper.generateManifests(request, never)).revision, "abc");
  assert.equal(world.starts(), 3);
});

test("of all that was under way when a process passed its limit, the one that passes it again by itself fails", async () => {
  const under = Promise.withResolvers<void>();
  let waiting = 0;
  let commit = "1";
  await using world: World = openWorld((_, life) => ({
    resolveRevision: async () => ({ revision: commit, ambiguous: "" }),
    generateManifests: ({ appName }, signal) => {
      if (world.roles[life - 1] === "alone" && appName === "bomb") world.end(life, "memory");
      else if (world.roles[life - 1] === "alone" || life > 1) return Promise.resolve(response);
      waiting += 1;
      if (waiting === 3) under.resolve();
      return untilAborted(signal);
    },
  }));
  const ask = (appName: string) => {
    const source = { ...request.source, path: appName };
    return world.keeper.generateManifests({ ...request, appName, source }, never);
  };
  const answers = ["a", "bomb", "b"].map((name) => ask(name));
  await under.promise;
  world.end(1, "memory");
  const [a, bomb, b] = await Promise.allSettled(answers);
  assert.deepEqual([a?.status, bomb?.status, b?.status], ["fulfilled", "rejected", "fulfilled"]);
  const sentence =
    /application bomb: rendering it takes more memory than the repo server may have \(2 GiB\).*--repo-server-memory-limit/;
  await assert.rejects(async () => answers[1], sentence);
  const starts = world.starts();
  await assert.rejects(ask("bomb"), /--repo-server-memory-limit.*cached failure; tried again after/);
  assert.equal(world.starts(), starts, "the same is not tried again");
  assert.equal((await ask("c")).revision, "abc");
  commit = "2";
  await assert.rejects(ask("bomb"), sentence);
  assert.equal(world.roles.filter((role) => role === "main").length, 2, "no other process ended by it");
});

test("what ends a process each time from outside fails by itself, and no other", async () => {
  await using world: World = openWorld((_, life) => ({
    resolveRevision: async () => ({ revision: "1", ambiguous: "" }),
    generateManifests: () => {
      world.end(life, "killed");
      return new Promise(() => undefined);
    },
  }));
  await assert.rejects(
    world.keeper.generateManifests(request, never),
    /application web: .* ends the repo server's process/,
  );
  assert.deepEqual(world.roles.slice(0, 2), ["main", "main"]);
  assert.equal(world.roles.filter((role) => role === "alone").length, 2);
});

test("what the operator changes is told before the next question, also to the next process", async () => {
  const pipeline = (name: string) => ({
    apiVersion: "capstan.dev/v1alpha1",
    kind: "Pipeline" as const,
    metadata: { name },
    spec: { stages: [] },
  });
  await using world = openWorld(({ state }) => ({
    listApps: async () => Object.fromEntries(state().pipelines.map(({ metadata }) => [metadata.name, "x"])),
  }));
  const names = async () =>
    Object.keys(await world.keeper.listApps({ repository, source: request.source }, never));
  assert.deepEqual(await names(), []);
  world.state.pipelines = [pipeline("one"), pipeline("two")];
  assert.deepEqual(await names(), ["one", "two"]);
  world.kill();
  assert.deepEqual(await names(), ["one", "two"]);
  world.state.pipelines = [pipeline("two")];
  assert.deepEqual(await names(), ["two"]);
});

test("Secrets are asked for here, one at a time", async () => {
  await using world = openWorld(({ readSecret }) => ({
    resolveRevision: async () => {
      await readSecret({ namespace: "n", name: "there" }, never);
      return { revision: "", ambiguous: "" };
    },
    describeSource: async ({ source }, signal) => {
      const data = await readSecret({ namespace: "n", name: source.path ?? "" }, signal);
      return { plugin: JSON.stringify(data ?? {}), sourceType: "Plugin", stages: [] };
    },
  }));
  const ask = async (path: string) =>
    (await world.keeper.describeSource({ ...request, source: { ...request.source, path } }, never)).plugin;
  assert.equal(await ask("there"), '{"key":"value"}');
  assert.equal(await ask("not there"), "{}");
  // Nobody is rendered, so that nobody may have one.
  await assert.rejects(world.keeper.resolveRevision(request, never), /no application that is rendered now/);
});

test("a process may fetch from the repositories of this machine that it is asked about, and is told where", async () => {
  await using world = openWorld(({ setup }) => ({
    listRefs: async () => ({ branches: [`${setup.localGit?.port}`], tags: [] }),
  }));
  const ask = async (url: string) => (await world.keeper.listRefs({ repository: { url } }, never)).branches;
  assert.deepEqual(await ask("https://git.example/a"), ["1"]);
  assert.deepEqual(world.permitted, []);
  assert.deepEqual(await Promise.all(["file:///srv/a", "/srv/b/../c", "file://host/srv"].map(ask)), [
    ["1"],
    ["1"],
    ["1"],
  ]);
  assert.deepEqual(world.permitted, ["/srv/a", "/srv/c"]);
  world.kill();
  assert.deepEqual(await ask("/srv/a"), ["2"]);
  assert.equal(world.permitted.at(-1), "/srv/a");
});

test("plugins that come along say where nothing is around them, and why", async () => {
  const plugin = { shapes: ["generate"], keyedBy: "declared", sensitive: false, parameters: [] } as const;
  await using world = openWorld(() => ({
    listPlugins: async () => [
      { ...plugin, name: "helm", origin: "built-in" },
      { ...plugin, name: "cue", origin: "installed" },
    ],
  }));
  const told = (await world.keeper.listPlugins()).map(({ notes }) => notes);
  assert.deepEqual(told, [["repositories are rendered without a sandbox: no bwrap"], undefined]);
});

test("who waits when it is closed is told", async () => {
  const begun = Promise.withResolvers<void>();
  const world = openWorld(() => ({
    generateManifests: (_request, signal) => {
      begun.resolve();
      return untilAborted(signal);
    },
  }));
  const answer = assert.rejects(world.keeper.generateManifests(request, never), /the repo server/);
  await begun.promise;
  await world[Symbol.asyncDispose]();
  await answer;
  await assert.rejects(world.keeper.listPlugins(), /it is shutting down/);
});
