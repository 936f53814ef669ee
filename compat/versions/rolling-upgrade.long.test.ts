import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  configMapText,
  eventually,
  freePorts,
  isSettled,
  RpcClient,
  realProgram,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { openPartsWorld, type PartProcess, type PartsWorld } from "../../processes/parts/parts-world.ts";
import {
  Callers,
  counter,
  orAgain,
  type Place,
  pageWatcher,
  renderer,
  restOf,
  restWatcher,
  rpcWatcher,
  slowLogin,
  syncer,
} from "./callers.ts";
import { type Endpoint, openService, type TestService } from "./service.ts";

const signal = AbortSignal.timeout(280_000);
/** So long a Service may take to see that a Pod ends, also on a busy machine. */
const delay = ["--shutdown-delay-seconds", "4"];

interface Pod extends Endpoint {
  readonly process: PartProcess;
}

/** Each takes the former one's place once it is ready, as in a Deployment of which none may lack. */
async function roll(former: Pod, start: () => Promise<Pod>, service?: TestService): Promise<Pod> {
  const next = await start();
  service?.add(next);
  await service?.untilReady(next);
  await former.process.kill("SIGTERM");
  service?.remove(former);
  assert.equal(former.process.ended(), 0, former.process.output().slice(-2_000));
  return next;
}

function podsOf(world: PartsWorld, repoPorts: readonly number[]) {
  const spare = [...repoPorts];
  const token = ["--token-file", world.token, "--allow-folder", world.repository.dir];
  const names = repoPorts.map((port) => `127.0.0.1:${port}`).join(",");
  const asking = ["--repo-server", names, "--repo-server-token-file", world.token];
  return {
    asking,
    async repoServer(): Promise<Pod> {
      const port = spare.shift() ?? 0;
      const listening = ["--address", "127.0.0.1", "--port", String(port)];
      const process = await world.start("repo-server", [...listening, ...token, ...delay]);
      return { port, probe: `${process.url}/readyz`, process };
    },
    async server(): Promise<Pod> {
      const process = await world.start("server", ["--port", "0", ...asking, ...delay]);
      const port = Number(/^ready: \S+:(\d+)/m.exec(process.output())?.[1]);
      return { port, probe: `${process.url}/readyz`, process };
    },
  };
}

async function logIn(world: PartsWorld, url: string): Promise<Place & { password: string }> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "argocd-initial-admin-secret" };
  const secret = await world.cluster.kube.get(ref, signal);
  const password = Buffer.from(Object(secret?.data).password, "base64").toString();
  const { token } = await restOf({ url, token: "" })("POST", "session", { username: "admin", password });
  return { url, token: String(token), password };
}

test("servers and repo servers are replaced one by one, and no request fails", {
  timeout: 290_000,
}, async (t) => {
  await using world = await openPartsWorld({
    "a/map.yaml": configMapText("map"),
    "b/map.yaml": configMapText("map"),
  });
  const pods = podsOf(world, await freePorts(4));
  const repoServers = await Promise.all([pods.repoServer(), pods.repoServer()]);
  await world.start("controller", pods.asking);
  const servers = await Promise.all([pods.server(), pods.server()]);
  await using service = await openService();
  for (const one of servers) service.add(one);
  for (const one of servers) await service.untilReady(one);
  const place = await logIn(world, `http://127.0.0.1:${service.port}`);
  const rest = restOf(place);
  for (const name of ["counted", "synced"]) {
    // What is synced by a caller is synced by nobody else.
    const path = name === "synced" ? "b" : "a";
    const app = sketchApplication({ name, repoURL: world.repository.url, path });
    await rest("POST", "applications", app);
    await untilApplication(world.cluster.kube, name, isSettled);
  }
  await using callers = new Callers();
  const { token } = place;
  const secured = `https://127.0.0.1:${service.port}`;
  const seen = new Map<string, number>();
  const note = (watcher: string, count: number) => void seen.set(watcher, count);
  let count = 0;
  const list = { method: "application.ApplicationService/List", request: {}, token, signal };
  const [rpc, web] = [new RpcClient(secured), new RpcClient(place.url, "web")];
  callers.start("list", () => rest("GET", "applications"));
  callers.start("get", () => rest("GET", "applications/counted?refresh=normal"));
  callers.start("count", async () => {
    const patch = JSON.stringify({ metadata: { annotations: { [counter]: String(count + 1) } } });
    await rest("PATCH", "applications/counted", { name: "counted", patch, patchType: "merge" });
    count += 1;
  });
  callers.start("sync", syncer(rest, "synced"));
  callers.start("render", renderer(rest, world.repository, "counted"));
  callers.start("slow login", slowLogin(place, place.password));
  callers.start("gRPC", () => orAgain(() => rpc.askOnce(list)));
  callers.start("gRPC-web", () => web.askOnce(list));
  startArgocd(callers, service.port, token);
  const watching = callers.all.length;
  callers.start("watch", restWatcher(place, note, callers.stopping));
  callers.start("gRPC watch", rpcWatcher({ client: new RpcClient(secured), token }, note, callers.stopping));
  callers.start("page", pageWatcher(place, note, callers.stopping));
  const steady = () => callers.untilAnswered(watching);
  await steady();
  // Both Deployments are replaced at once, as where a chart is upgraded, each one by one.
  for (const [at, server] of servers.entries()) {
    const repoServer = repoServers[at];
    assert.ok(repoServer);
    await Promise.all([roll(server, pods.server, service), roll(repoServer, pods.repoServer)]);
    await steady();
  }
  const all = callers.all.slice(watching).map(({ name }) => name);
  const shown = () =>
    `${count} was counted, ${JSON.stringify([...seen])} seen; ${JSON.stringify(callers.all)}`;
  await eventually(() => all.every((name) => (seen.get(name) ?? 0) >= count) || undefined, {
    signal: AbortSignal.timeout(30_000),
    describe: shown,
  });
  for (const one of callers.all) t.diagnostic(`${one.name}: ${one.count} answers`);
  assert.deepEqual(
    callers.all.filter(({ failures }) => failures.length > 0),
    [],
  );
  for (const { name, count: resumed } of callers.all.slice(watching))
    assert.ok(resumed >= 1, `${name} was never resumed: no server that it stood with has ended`);
});

/** The real command, where there is one. */
function startArgocd(callers: Callers, port: number, token: string): void {
  const found = realProgram("argocd");
  if ("absent" in found) return;
  const words = ["app", "list", "--server", `127.0.0.1:${port}`, "--insecure", "--auth-token", token];
  const env = { HOME: "/nonexistent", PATH: process.env.PATH, ARGOCD_OPTS: "" };
  callers.start("argocd", () => promisify(execFile)(found.path, words, { env, timeout: 60_000 }));
}
