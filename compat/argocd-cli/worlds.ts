import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeClient } from "@capstan/kube";
import {
  type GitServer,
  realProgramPath,
  startArgoCD,
  startCapstan,
  startChartServer,
  startGitServer,
  startRealCluster,
} from "@capstan/testkit";
import { type Place, shell } from "../clients/shell.ts";
import { fillWorld } from "./settings.ts";
import { changes, charts, files } from "./sources.ts";

/** How `argocd` speaks to the server. */
export type Mode = "plain" | "grpc-web" | "tls";

export const modes: Readonly<Record<Mode, readonly string[]>> = {
  plain: ["--plaintext"],
  "grpc-web": ["--plaintext", "--grpc-web"],
  // Both certificates are self-made.
  tls: ["--insecure"],
};

/** One of the two, as `argocd` sees it. */
export interface World {
  readonly name: "real" | "ours";
  /** host:port. */
  readonly servers: Readonly<Record<"plain" | "tls", string>>;
  readonly kube: KubeClient;
  /** A folder for each script goes below. */
  readonly folder: string;
  readonly sources: Sources;
}

/** Addresses that both worlds fetch from. */
export interface Sources {
  readonly git: string;
  readonly charts: string;
}

export interface Worlds extends AsyncDisposable {
  readonly real: World;
  readonly ours: World;
}

export async function startWorlds(): Promise<Worlds> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-argocd-cli-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const sources = await startSources(opened);
  const startReal = async () => {
    const cluster = opened.use(await startRealCluster({ nodes: true }));
    const argo = opened.use(await startArgoCD(cluster, { hasLogin: true, hasSets: true }));
    return { ...argo, kube: cluster.kube };
  };
  const startOurs = async () => {
    const capstan = opened.use(await startCapstan({ flags: ["--no-samples"] }));
    return { url: capstan.url, tlsUrl: capstan.url, kube: capstan.kube };
  };
  const [real, ours] = await Promise.all([startReal(), startOurs()]);
  const openWorld = async (
    name: World["name"],
    { url, tlsUrl, kube }: Awaited<ReturnType<typeof startOurs>>,
  ): Promise<World> => {
    await fillWorld(kube);
    const servers = { plain: new URL(url).host, tls: new URL(tlsUrl).host };
    return { name, servers, kube, folder: join(dir, name), sources };
  };
  const both = await Promise.all([openWorld("real", real), openWorld("ours", ours)]);
  const closing = opened.move();
  return { real: both[0], ours: both[1], [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

async function startSources(opened: AsyncDisposableStack): Promise<Sources> {
  const git: GitServer = opened.use(await startGitServer());
  const { url, git: run, commit } = await git.createRepository("shop", files);
  await run("tag", "v1");
  await run("checkout", "-q", "-b", "next");
  await commit(changes, "next");
  await run("checkout", "-q", "main");
  const chartServer = opened.use(await startChartServer(charts));
  return { git: url, charts: chartServer.url };
}

/** A folder with a configuration of `argocd` in which the admin is logged in. */
export async function openWorkplace(world: World, name: string, mode: Mode): Promise<Place> {
  const cwd = join(world.folder, mode, name);
  const bin = join(cwd, ".bin");
  await mkdir(bin, { recursive: true });
  await symlink(realProgramPath("argocd"), join(bin, "argocd"));
  const place: Place = {
    cwd,
    env: {
      PATH: `${bin}:${process.env.PATH ?? ""}`,
      HOME: cwd,
      ARGOCD_CONFIG_DIR: join(cwd, ".config"),
      ARGOCD_OPTS: modes[mode].join(" "),
      SERVER: world.servers[mode === "tls" ? "tls" : "plain"],
      GIT: world.sources.git,
      CHARTS: world.sources.charts,
      TZ: "UTC",
      EDITOR: "./edit",
    },
  };
  await logIn(place);
  return place;
}

/** It asks a person where a server in plain text has TLS too, with a certificate of its own. */
const logInCommand = "argocd login $SERVER --skip-test-tls --username admin --password password";
const loginTries = 40;

/** The server may not have seen its new password yet. */
async function logIn(place: Place): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { code, stderr } = await shell(logInCommand, place);
    if (code === 0) return;
    if (attempt === loginTries) throw new Error(`the admin cannot log in at ${place.env.SERVER}: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
