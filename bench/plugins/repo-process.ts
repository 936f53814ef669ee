/** The repo server alone as a process of its own, so that its CPU can be told: reads requests a line, answers a line. */
import { createInterface } from "node:readline";
import { createRepoServer } from "@capstan/render";
import { realClock } from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import type { Asked } from "./repo-peer.ts";

const [dataDir = "", pluginSockets = "", services = "[]"] = process.argv.slice(2);
const silent = () => undefined;
let archives = 0;
const countArchives = (_facts: object, message: string) => {
  if (message.startsWith("an archive")) archives++;
};
const log = { debug: countArchives, info: silent, warn: silent, error: silent };
let sentBytes = 0;
let sentPieces = 0;
const metrics = {
  queue: silent,
  answered: silent,
  failed: silent,
  rendered: silent,
  git: () => undefined,
  oci: () => undefined,
  pending: () => undefined,
  sent: (_plugin: string, bytes: number) => {
    sentBytes += bytes;
    sentPieces++;
  },
};
const pluginServices = () => JSON.parse(services);
await using server = await createRepoServer({
  dataDir,
  clock: realClock,
  log,
  metrics,
  env: { ...process.env, GIT_CONFIG_NOSYSTEM: "1" },
  plugins: builtInPlugins,
  pluginSockets: [pluginSockets],
  pluginServices,
  separateStarter: "always",
  limits: { renderTimeoutMs: 600_000 },
});

async function answer({ revision, paths, plugin, url, generatePaths }: Asked) {
  const answers = paths.map((path) =>
    server.generateManifests(
      {
        repository: { url },
        source: {
          repoURL: url,
          path,
          targetRevision: "main",
          ...(plugin ? { plugin: { name: plugin } } : {}),
        },
        revision,
        appName: path.replaceAll("/", "-"),
        namespace: "default",
        project: "default",
        kubeVersion: "1.34.0",
        apiVersions: [],
        ...(generatePaths === undefined ? {} : { manifestGeneratePaths: generatePaths }),
      },
      AbortSignal.timeout(600_000),
    ),
  );
  const manifests = (await Promise.all(answers)).reduce((sum, one) => sum + one.manifests.length, 0);
  return { manifests, sentBytes, sentPieces, archives };
}

console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin }))
  console.log(
    JSON.stringify(await answer(JSON.parse(line)).catch((error: unknown) => ({ failed: String(error) }))),
  );
