import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Io } from "@capstan/cli/record";
import { openExaminer } from "@capstan/controllers";
import { systemClock as clock } from "@capstan/flow";
import {
  type ConnectCluster,
  createKubeClient,
  httpTransport,
  openKubeconfig,
  readOnlyTransport,
  type Transport,
} from "@capstan/kube";
import { CapstanError } from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";
import { Registry } from "prom-client";
import { openOwnRepo } from "../parts/open-own-repo.ts";
import { openRemoteRepo } from "../parts/repo-access.ts";
import { writeWhole } from "../surroundings/data-folder.ts";
import { findCluster } from "../surroundings/find-cluster.ts";
import { createLog } from "../surroundings/log.ts";
import { type Means, openMeans } from "../surroundings/open-means.ts";
import { openPluginSources } from "../surroundings/open-plugin-sources.ts";
import { ownVersion, userAgentOf } from "../surroundings/own-process.ts";
import { readUpOptions } from "../up/options.ts";
import type { CheckFlags } from "./check.ts";

export interface OpenInstallation extends AsyncDisposable {
  readonly means: Means;
  readonly examiner: Awaited<ReturnType<typeof openExaminer>>;
}

const quiet: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** An installation as the controller sees it, by connections that refuse to change anything. */
export async function openInstallation(flags: CheckFlags, { env, ...io }: Io): Promise<OpenInstallation> {
  await using opened = new AsyncDisposableStack();
  // Ends what follows files too: the command is over when the check is.
  const ending = new AbortController();
  opened.defer(() => ending.abort());
  const signal = AbortSignal.any([io.signal, ending.signal]);
  const dataDir = flags.data === undefined ? await temporaryFolder(opened) : resolve(flags.data);
  const options = readUpOptions(
    // Of folders that applications may name: those of the embedded cluster's person are nobody's here.
    { ...flags, data: dataDir, kubeconfig: flags.kubeconfig ?? "in-cluster", "no-controllers": true },
    env,
  );
  const log = flags.verbose ? createLog({ format: "text", level: "info", now: clock.now }) : quiet;
  const access = findCluster(flags.kubeconfig, env);
  await mkdir(dataDir, { recursive: true });
  const kubeconfig = "file" in access ? access.file : join(dataDir, "pod-kubeconfig");
  if ("text" in access) await writeWhole(kubeconfig, access.text);
  const leave = { dryRuns: flags["dry-runs"] === true };
  const reading = (transport: Transport & AsyncDisposable): Transport & AsyncDisposable =>
    Object.assign(readOnlyTransport(transport, leave), {
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    });
  const transport = opened.use(
    reading(httpTransport((await openKubeconfig(kubeconfig)).config, { clock, env })),
  );
  const connect: ConnectCluster = (config) => {
    if (config.exec && !flags["credential-programs"])
      throw new CapstanError({
        code: "UNAVAILABLE",
        what: `cluster ${config.server}`,
        problem: "its Secret names a program for credentials: --credential-programs runs it",
      });
    return reading(httpTransport(config, { clock, env }));
  };
  const version = ownVersion();
  const kube = createKubeClient({
    transport,
    userAgent: userAgentOf({ version }),
    clock,
    sharesWatched: true,
  });
  const metrics = new Registry();
  const begun = { options, kube, kubeconfig, isPod: "text" in access, metrics, version, clock, log, signal };
  const plugins = opened.use(await openPluginSources({ ...begun, namespace: options.namespace }, signal));
  const remote = await openRemoteRepo(flags, begun);
  const own = remote ? undefined : opened.use(await openOwnRepo({ ...begun, plugins, readsByItself: true }));
  const repo = remote ? opened.use(remote) : own?.repo;
  if (!repo) throw new Error("there is no repo server");
  const means = opened.use(await openMeans({ ...begun, repo, connect }));
  await own?.useSettings(means.settings);
  const clusterLimitMs = (flags.timeout ?? 120) * 1000;
  const examiner = opened.use(await openExaminer({ ...means, clusterLimitMs }));
  const closing = opened.move();
  return { means, examiner, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

async function temporaryFolder(opened: AsyncDisposableStack): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-migrate-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}
