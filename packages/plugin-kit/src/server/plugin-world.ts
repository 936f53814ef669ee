import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock as clock } from "@capstan/flow";
import type { ConfigManagementPlugin } from "@capstan/model";
import { pluginV1 } from "@capstan/wire/plugin-protocols";
import { Client, credentials } from "@grpc/grpc-js";
import { type Isolation, probeIsolation } from "../isolation/probe-isolation.ts";
import { grpcClient } from "../rpc/grpc-client.ts";
import type { ServedPlugin } from "../served-plugin.ts";
import { commandPlugin } from "../sidecar/command-plugin.ts";
import { Spawner } from "../spawner/spawner.ts";
import { gitId, modes, type TreeObject } from "../store/tree-object.ts";
import { PluginServer } from "./plugin-server.ts";
import { pluginService } from "./plugin-service.ts";
import { RunQueue } from "./run-queue.ts";
import { WorkDirectories } from "./work-directories.ts";

const silent = () => undefined;
export const log = { debug: silent, info: silent, warn: silent, error: silent };

export type TestFiles = Readonly<Record<string, string | { link: string } | { executable: string }>>;

/** Objects as git would have them. */
export class TestTree {
  readonly objects = new Map<string, TreeObject>();
  readonly id: string;

  constructor(files: TestFiles) {
    this.id = this.#directory(Object.entries(files));
  }

  #put(object: TreeObject): string {
    const id = gitId(object, "sha1") ?? "";
    this.objects.set(id, object);
    return id;
  }

  #directory(files: readonly (readonly [string, TestFiles[string]])[]): string {
    const names = new Set(files.map(([path]) => path.split("/")[0] ?? ""));
    return this.#put(
      [...names].sort().map((name) => {
        const file = files.find(([path]) => path === name)?.[1];
        if (file === undefined) {
          const below = files
            .filter(([path]) => path.startsWith(`${name}/`))
            .map(([path, one]) => [path.slice(name.length + 1), one] as const);
          return { name, mode: modes.directory, id: this.#directory(below) };
        }
        const [mode, text] =
          typeof file === "string"
            ? [0o100644, file]
            : "link" in file
              ? [modes.symlink, file.link]
              : [modes.executable, file.executable];
        return { name, mode, id: this.#put(Buffer.from(text)) };
      }),
    );
  }
}

export interface RunOutcome {
  manifests: pluginV1.Manifest[];
  wanted: string[];
  log: string;
  announced: pluginV1.Announced | undefined;
  files: pluginV1.FileChange[];
  done: pluginV1.Done;
}

export interface RunOptions {
  path?: string;
  action?: string;
  plugin?: string;
  env?: Readonly<Record<string, string>>;
  paths?: string[];
  deadlineMs?: number;
  input?: string[];
  /** Sends something else than what the id says. */
  forge?: boolean;
  repository?: string;
  refresh?: string;
  credentials?: (repository: string) => { env?: { name: string; value: string }[]; refused?: string };
}

const limitMs = 100_000;

/** Plugins served on a socket, and a caller that has trees. */
export async function startPluginWorld(
  served: readonly (ConfigManagementPlugin["spec"] | ServedPlugin)[],
  isolation?: Isolation,
) {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-plugin-world-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const base = join(dir, "work");
  await mkdir(base);
  const directories = opened.use(await WorkDirectories.create(base, log));
  const limits = { maxTreeBytes: 50 * 2 ** 20, maxTreeFiles: 10_000 };
  const services = { clock, log, limits, directories, queue: new RunQueue(10) };
  const commands = {
    clock,
    env: { PATH: process.env.PATH ?? "" },
    maxOutputBytes: 2 ** 20,
    maxStderrBytes: 2 ** 16,
    starter: opened.use(await Spawner.open(join(dir, "pipes"), process.env.PATH ?? "")),
    isolation:
      isolation ?? (await probeIsolation(process.env.PATH ?? "", clock, AbortSignal.timeout(limitMs))),
  };
  const plugins = served.map((one, index) =>
    "describe" in one
      ? one
      : commandPlugin(
          { apiVersion: "v1", kind: "ConfigManagementPlugin", metadata: { name: `p${index}` }, spec: one },
          commands,
        ),
  );
  const address = `unix://${join(dir, "s.sock")}`;
  const placed = plugins.map((plugin) => ({ plugin, address }));
  opened.use(
    await PluginServer.start(placed, {
      ...services,
      version: "test",
      maxMessageBytes: 2 ** 24,
      pluginService: (here) => pluginService(here, services),
    }),
  );
  const client = new Client(address, credentials.createInsecure());
  opened.defer(() => client.close());
  const own = grpcClient(pluginV1.PluginService, client);
  const closing = opened.move();
  return {
    client,
    own,
    base,
    directories: () => readdir(base),
    run: (tree: TestTree, options: RunOptions = {}) => runOnce(own, tree, options),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function runOnce(
  own: ReturnType<typeof grpcClient<typeof pluginV1.PluginService>>,
  tree: TestTree,
  options: RunOptions,
): Promise<RunOutcome> {
  const { path = "", action = "generate", plugin = "p0", paths = [], deadlineMs = limitMs } = options;
  const deadline = Date.now() + deadlineMs;
  const stream = own.run({ signal: AbortSignal.timeout(limitMs), deadline });
  const repository = options.repository ?? "https://git.example/one";
  const env = { ARGOCD_APP_SOURCE_REPO_URL: repository, ...options.env };
  const start = {
    plugin,
    action,
    path,
    tree: { id: tree.id, idFormat: "sha1", paths },
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    project: "default",
    application: "app",
    refresh: options.refresh ?? "normal",
  };
  await stream.send({ message: { case: "start", value: start } });
  const manifests = (options.input ?? []).map((json) => ({ json }));
  await stream.send({ message: { case: "manifests", value: { manifests } } });
  await stream.send({ message: { case: "inputEnd", value: {} } });
  const outcome: Omit<RunOutcome, "done"> = {
    manifests: [],
    wanted: [],
    log: "",
    announced: undefined,
    files: [],
  };
  for await (const { message } of stream) {
    if (message.case === "want") {
      outcome.wanted.push(...message.value.ids);
      const objects = message.value.ids.map((id) => objectOf(tree, id, options.forge === true));
      await stream.send({ message: { case: "objects", value: { objects } } });
    } else if (message.case === "wantCredentials") {
      const value = {
        repository: message.value.repository,
        ...options.credentials?.(message.value.repository),
      };
      await stream.send({ message: { case: "credentials", value } });
    } else if (message.case === "manifests") outcome.manifests.push(...message.value.manifests);
    else if (message.case === "files") outcome.files.push(...message.value.changes);
    else if (message.case === "log") outcome.log += message.value.text;
    else if (message.case === "announced") outcome.announced = message.value;
    else if (message.case === "done") return { ...outcome, done: message.value };
  }
  throw new Error("the server ended without an answer");
}

function objectOf(tree: TestTree, id: string, forge: boolean) {
  const object = tree.objects.get(id);
  if (!object) return { id, content: { case: "refused", value: "unknown" } } as const;
  if (Buffer.isBuffer(object))
    return { id, content: { case: "data", value: forge ? Buffer.from("forged") : object } } as const;
  return {
    id,
    content: { case: "directory", value: { entries: object.map((entry) => ({ ...entry })) } },
  } as const;
}
