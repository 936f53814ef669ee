/** What a tenant makes of extensions, programs of the operator's behind the API server. */
import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { eventually } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { browserCookie } from "../browser-cookie.ts";
import { withServer } from "../own-server.ts";
import { sendRaw } from "../raw-request.ts";

const limit = () => AbortSignal.timeout(60_000);
const inCluster = "https://kubernetes.default.svc";
const rivalCluster = "https://rival.example";

interface Heard {
  readonly backend: "own" | "rival";
  readonly headers: IncomingHttpHeaders;
}

interface Stage {
  readonly heard: Heard[];
  ask(who: "alice" | "carol", headers?: Readonly<Record<string, string>>): ReturnType<typeof sendRaw>;
}

/** One after the other: there is one extension. */
let turn: Promise<unknown> = Promise.resolve();

/** An extension with a backend for each of two clusters, and applications of both tenants. */
function onStage(play: (stage: Stage, world: AttackWorld) => Promise<void>): Attack["play"] {
  return async (world) => {
    const before = turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    turn = promise;
    await before;
    const heard: Heard[] = [];
    const listen = (backend: Heard["backend"], work: (url: string) => Promise<void>) =>
      withServer(({ headers }, response) => {
        heard.push({ backend, headers });
        response.writeHead(200, { "set-cookie": "argocd.token=fixed; Path=/" }).end("of a backend");
      }, work);
    try {
      await listen("own", (own) =>
        listen("rival", async (rival) => {
          await prepare(world, { own, rival });
          const ask: Stage["ask"] = async (who, headers = {}) =>
            sendRaw(world.at, {
              path: "/extensions/attacked/x",
              headers: {
                cookie: await browserCookie(world, who),
                "argocd-application-name": "argocd:extended-team",
                "argocd-project-name": "team",
                ...headers,
              },
            });
          await eventually(async () => ((await ask("alice")).status === 200 ? true : undefined), {
            signal: limit(),
            describe: () => "alice's own request does not arrive",
          });
          heard.length = 0;
          await play({ heard, ask }, world);
        }),
      );
    } finally {
      await tidy(world);
      resolve();
    }
    await world.assertUnharmed([]);
  };
}

async function prepare({ capstan: { kube } }: AttackWorld, urls: { own: string; rival: string }) {
  const options = { fieldManager: "extensions", force: true, signal: limit() };
  const map = (name: string, data: object) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "argocd" },
    data,
  });
  const services = [
    { url: urls.own, cluster: { name: "in-cluster", server: inCluster } },
    { url: urls.rival, cluster: { name: "rival", server: rivalCluster } },
  ];
  await kube.apply(map("argocd-cm", { "extension.config.attacked": JSON.stringify({ services }) }), options);
  await kube.apply(map("argocd-cmd-params-cm", { "server.enable.proxy.extension": "true" }), options);
  const cluster = { server: rivalCluster, name: "rival", config: "{}" };
  await kube.apply(
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "cluster-rival",
        namespace: "argocd",
        labels: { "argocd.argoproj.io/secret-type": "cluster" },
      },
      stringData: cluster,
    },
    options,
  );
  const places = {
    "extended-team": ["team", { server: inCluster, namespace: "team-a" }],
    "extended-rival": ["rival", { server: inCluster, namespace: "rival-a" }],
    "extended-astray": ["team", { server: rivalCluster, namespace: "team-a" }],
    "extended-named": ["team", { name: "rival", namespace: "team-a" }],
  } as const;
  for (const [name, [project, destination]] of Object.entries(places)) {
    const source = { repoURL: "https://git.invalid/x", path: "." };
    const metadata = { name, namespace: "argocd" };
    await kube.apply({ ...application, metadata, spec: { project, source, destination } }, options);
  }
}

const application = { apiVersion: "argoproj.io/v1alpha1", kind: "Application" } as const;

/** Others look at what there is. */
async function tidy({ capstan: { kube } }: AttackWorld): Promise<void> {
  const signal = limit();
  for (const name of ["extended-team", "extended-rival", "extended-astray", "extended-named"])
    await kube.delete({ ...application, namespace: "argocd", name }, { signal });
  await kube.delete(
    { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "cluster-rival" },
    { signal },
  );
}

const said = "what a backend is told of who asks and for what is this server's own, in every spelling";
const judged =
  "the application is found, the caller's rights on it and on the extension and the project's destination are judged before a backend is chosen";

export const attacks: readonly Attack[] = [
  {
    id: "extensions/backend-of-another-cluster",
    threat: "A tenant reaches the backend of another cluster by headers, or by an application that names it",
    heldBy: judged,
    play: onStage(async ({ heard, ask }) => {
      const lies = { "argocd-target-cluster-url": rivalCluster, "argocd-target-cluster-name": "rival" };
      const answer = await ask("alice", lies);
      assert.equal(answer.status, 200);
      for (const name of ["extended-astray", "extended-named", "extended-rival"])
        for (const project of ["team", "rival", "default"]) {
          const refused = await ask("alice", {
            "argocd-application-name": `argocd:${name}`,
            "argocd-project-name": project,
          });
          assert.equal(refused.status, 401, `${name} ${project}: ${refused.text}`);
        }
      assert.deepEqual(
        heard.map(({ backend, headers }) => [backend, headers["argocd-target-cluster-url"]]),
        [["own", inCluster]],
      );
      assert.equal(heard[0]?.headers["argocd-target-cluster-name"], undefined);
    }),
  },
  {
    id: "extensions/headers-of-somebody-else",
    threat: "A tenant tells a backend that he is somebody else, or of other groups",
    heldBy: said,
    play: onStage(async ({ heard, ask }) => {
      const lies = ["Argocd-Username", "Argocd-User-Id", "Argocd-User-Groups", "Argocd-Namespace"];
      for (const spell of [(name: string) => name, (name: string) => name.replaceAll("-", "_").toLowerCase()])
        await ask("alice", Object.fromEntries(lies.map((name) => [spell(name), "admin"])));
      assert.equal(heard.length, 2);
      for (const { headers } of heard) {
        const told = Object.entries(headers).filter(([name]) => /^argocd/.test(name));
        assert.deepEqual(Object.fromEntries(told), {
          "argocd-application-name": "argocd:extended-team",
          "argocd-project-name": "team",
          "argocd-namespace": "argocd",
          "argocd-target-cluster-url": inCluster,
          "argocd-user-id": "alice",
          "argocd-username": "alice",
        });
      }
    }),
  },
  {
    id: "extensions/session-to-a-backend",
    threat: "A backend that is somebody else's keeps the session of who asks, or gives him one of its own",
    heldBy: "no cookie, no token and no page's secret goes to a backend, and no cookie comes back",
    play: onStage(async ({ heard, ask }) => {
      const answer = await ask("alice", { "x-capstan-page": "secret", "proxy-authorization": "Basic x" });
      const names = Object.keys(heard[0]?.headers ?? {});
      assert.deepEqual(
        names.filter((name) => /cookie|token|authorization|page/.test(name)),
        [],
      );
      assert.deepEqual([answer.text, answer.headers["set-cookie"]], ["of a backend", undefined]);
    }),
  },
  {
    id: "extensions/links-out-of-the-folder",
    threat:
      "Who can put a link into the folder of the page's scripts, as by an archive, has files read to everybody",
    heldBy:
      "only files of the folder itself are given, never what a link leads to, and no page of another site gets them",
    async play(world) {
      const { pageExtensions: folder, outside } = world.at;
      await writeFile(join(folder, "extension-own.js"), "// the operator's own");
      await symlink(join(outside, "secret"), join(folder, "extension-secret.js"));
      await symlink(outside, join(folder, "extension-outside.js"));
      await symlink(outside, join(folder, "outside"));
      const answer = await eventually(
        async () => {
          const found = await sendRaw(world.at, { path: "/extensions.js" });
          return found.text.includes("the operator's own") ? found : undefined;
        },
        { signal: limit(), describe: () => "the operator's own script is not given" },
      );
      assert.equal(answer.headers["cross-origin-resource-policy"], "same-origin");
      assert.equal(answer.text.match(/try \{/g)?.length, 1);
      for (const path of ["/extensions.js/../../secret", "/extensions/../outside/secret"])
        await world.assertUnharmed([(await sendRaw(world.at, { path })).text]);
      await world.assertUnharmed([answer.text]);
    },
  },
  {
    id: "extensions/without-a-right",
    threat: "An account that sees the application alone, or nobody at all, calls the backend",
    heldBy: judged,
    play: onStage(async ({ heard, ask }) => {
      assert.equal((await ask("carol")).status, 401);
      assert.equal((await ask("carol", { cookie: "" })).status, 400);
      assert.equal((await ask("carol", { cookie: "argocd.token=a.b.c" })).status, 401);
      assert.equal((await ask("alice", { origin: "https://evil.example" })).status, 403);
      assert.equal((await ask("alice", { "sec-fetch-site": "cross-site" })).status, 403);
      assert.deepEqual(heard, []);
    }),
  },
];
