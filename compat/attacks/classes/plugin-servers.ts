/** What a request to a plugin's server may say, and who may ask it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CapstanProcess,
  eventually,
  sketchApplication,
  startCapstan,
  startGitServer,
  startProcess,
  untilApplication,
} from "@capstan/testkit";
import { askStock } from "../../plugins/stock-call.ts";
import type { Attack } from "../attack.ts";
import { filesBelow } from "../files-below.ts";

const launcher = join(import.meta.dirname, "..", "..", "..", "bin", "capstan.js");
const signal = () => AbortSignal.timeout(100_000);

/** A plugin called `asked` that runs `env`: what `plugin-server` is started with, and the folder of its socket. */
async function withPlugin(work: (args: readonly string[], dir: string) => Promise<string>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-asked-server-"));
  try {
    await mkdir(join(dir, "config"));
    const yaml =
      "kind: ConfigManagementPlugin\nmetadata: {name: asked}\nspec: {generate: {command: [env]}}\n";
    await writeFile(join(dir, "config", "plugin.yaml"), yaml);
    const places = ["--config-dir-path", join(dir, "config"), "--socket-dir", dir, "--work-dir", dir];
    return await work([launcher, "plugin-server", ...places], dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Ends as the server does that is started so; its output. */
function serves(flags: readonly string[]): Promise<string> {
  return withPlugin(async (args) => {
    const server = spawn(process.execPath, [...args, ...flags], { signal: signal() });
    let told = "";
    server.stdout.on("data", (chunk) => (told += chunk));
    server.stderr.on("data", (chunk) => (told += chunk));
    const [code] = await once(server, "close");
    return `${code}: ${told}`;
  });
}

/** What a plugin server answers to a request that sets this variable. */
function sendsVariable(name: string): Promise<string> {
  return withPlugin(async (args, dir) => {
    await using server = startProcess(process.execPath, args, {});
    await eventually(async () => server.output().includes("is serving") || undefined, {
      signal: signal(),
      describe: server.output,
    });
    const request = { files: { "evil.so": "" }, env: [{ name, value: "./evil.so" }] };
    return JSON.stringify(await askStock(join(dir, "asked.sock"), "generateManifest", request));
  });
}

/** Slow enough to be worth a file in the cache. What it prints stands nowhere else as it is. */
const makesSecrets = `sleep 0.1
password=$(rev a.txt)
cat <<END
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: $password}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {url: "https://ada:$password@db"}
END
`;

/** `up` with a plugin whose author thought of no secrets, and an application of it, synced. */
async function withUnsaidSecrets(
  password: string,
  work: (capstan: CapstanProcess) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-unsaid-"));
  try {
    await using git = await startGitServer();
    const { url } = await git.createRepository("unsaid", {
      "app/a.txt": [...password].reverse().join(""),
    });
    await mkdir(join(dir, "plugins"));
    const generate = { command: ["sh", "-c", makesSecrets] };
    const plugin = { kind: "ConfigManagementPlugin", metadata: { name: "unsaid" }, spec: { generate } };
    await writeFile(join(dir, "plugins", "plugin.yaml"), JSON.stringify(plugin));
    const flags = ["--no-samples", "--plugins", join(dir, "plugins")];
    await using capstan = await startCapstan({ dataDir: join(dir, "data"), flags });
    const application = sketchApplication({
      name: "unsaid",
      repoURL: url,
      path: "app",
      project: "default",
      destination: { server: "https://kubernetes.default.svc", namespace: "unsaid" },
      source: { plugin: { name: "unsaid" } },
      syncPolicy: { automated: {}, syncOptions: ["CreateNamespace=true"] },
    });
    const made = await capstan.api("POST", "/api/v1/applications", application);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    await untilApplication(capstan.kube, "unsaid", {
      isSo: ({ sync }) => sync === "Synced",
      limitMs: 100_000,
    });
    await work(capstan);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Of what the repo server writes: the embedded cluster's own store holds Secrets as a cluster does. */
async function filesOfRenders({ dataDir }: CapstanProcess): Promise<string[]> {
  const folders = ["render", "render-alone"].map((name) => join(dataDir, name)).filter(existsSync);
  const files = await Promise.all(folders.map(filesBelow));
  return files.flat().map(({ content }) => content.toString("latin1"));
}

const views = ["", "/manifests", "/managed-resources", "/stages", "/events"];

export const attacks: readonly Attack[] = [
  {
    id: "plugin-servers/secrets-that-nobody-declared",
    threat:
      "A plugin makes Secrets and does not say that it is sensitive: whoever reads the disk, a diff or the stages finds what they hold",
    heldBy:
      "output with a Secret that has data is treated as sensitive: in memory only, for a time, masked also where the value stands in other objects; said once",
    slow: true,
    play: async (world) => {
      const password = `unsaid${randomBytes(12).toString("hex")}`;
      await withUnsaidSecrets(password, async (capstan) => {
        const shown = await Promise.all(
          views.map((view) => capstan.api("GET", `/api/v1/applications/unsaid${view}`)),
        );
        const stored = await filesOfRenders(capstan);
        assert.ok(stored.length > 0, "the repo server keeps its files there");
        const texts = [...stored, ...shown.map(({ body }) => JSON.stringify(body)), capstan.output()];
        for (const text of texts)
          for (const secret of [password, Buffer.from(password).toString("base64")])
            assert.ok(!text.includes(secret), `what the Secret holds is seen: ${text.slice(0, 2_000)}`);
        const said = capstan.output().split("does not say that it is sensitive").length - 1;
        assert.equal(said, 1, "it is said once");
      });
      await world.assertUnharmed([]);
    },
  },
  {
    id: "plugin-servers/open-to-anybody",
    threat: "Somebody in the network sends files of his own to a plugin service that asks nobody who he is",
    heldBy: "plugin-server refuses to listen without token or client authority; the chart makes a token",
    play: async (world) => {
      for (const flags of [[], ["--plaintext"]]) {
        const told = await serves(["--listen", "127.0.0.1:0", ...flags]);
        assert.match(told, /^1: .*--token-file.*--client-ca.*--anyone-may-call/s);
      }
      await world.assertUnharmed([]);
    },
  },
  ...["LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "GIT_SSH_COMMAND", "PATH"].map(
    (name): Attack => ({
      id: `plugin-servers/variable-${name.toLowerCase().replaceAll("_", "-")}`,
      threat: `A request to a plugin's server sets ${name}, with code among the files that it sends`,
      heldBy:
        "a request's variables are those of the protocol, by their prefixes; others are refused by name",
      play: async (world) => {
        assert.match(await sendsVariable(name), new RegExp(`variable ${name}`));
        await world.assertUnharmed([]);
      },
    }),
  ),
];
