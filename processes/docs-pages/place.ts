/** A person's home on a machine, in which pages are typed. */
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts, realProgram, startProcess } from "@capstan/testkit";
import { type Names, readPage, type TypedCommand } from "./page-script.ts";
import { Terminals } from "./terminals.ts";

export const top = join(import.meta.dirname, "..", "..");
export const docs = join(top, "docs");
const limitMs = 240_000;
/** Of testenv, where they are built; kubectl and helm are Capstan's own, since a reader may have none. */
const realPrograms = ["argocd", "sops"];

/** What docs/sources.md lists, beside the files that it shows. */
const demo: Readonly<Record<string, string>> = {
  "jsonnet/lib/config.libsonnet":
    '{ map(name, data):: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: name }, data: data } }\n',
  "kust/kustomization.yaml": "{ namePrefix: team-, resources: [web.yaml] }\n",
  "kust/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "nginx:1.29" }] }
`,
  "helm/Chart.yaml": "{ apiVersion: v2, name: shop, version: 1.0.0 }\n",
  "helm/values.yaml": "colour: grey\n",
  "helm/values-prod.yaml": "colour: red\n",
  "helm/templates/settings.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: '{{ .Release.Name }}-settings' }\ndata: { colour: {{ .Values.colour }} }\n",
  "values/shop.yaml": "colour: teal\n",
  "plain/settings.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { colour: yellow }\n",
};

export interface Place extends AsyncDisposable {
  readonly home: string;
  /** Of programs that a reader would have on PATH. */
  readonly bin: string;
  readonly names: Names;
  /** What it prints, and what the terminals print that it opens. */
  type(script: string, opened?: Opened): Promise<{ said: string; beside: ReadonlyMap<number, string> }>;
}

interface Opened {
  readonly commands: readonly TypedCommand[];
  readonly names: Names;
}

/** `kubeconfig`: of the cluster that its reader has. */
export async function openPlace(kubeconfig?: string): Promise<Place> {
  await using closing = new AsyncDisposableStack();
  const scratch = await mkdtemp(join(tmpdir(), "capstan-pages-"));
  closing.defer(() => rm(scratch, { recursive: true, force: true, maxRetries: 5 }));
  const [home, bin] = [join(scratch, "home"), join(scratch, "bin")];
  for (const folder of [home, bin, terminalsOf(scratch)]) await mkdir(folder);
  await symlink(join(top, "bin", "capstan.js"), join(bin, "capstan"));
  // Its reader's clone.
  await symlink(top, join(home, "capstan"));
  for (const name of realPrograms) {
    const found = realProgram(name);
    if ("path" in found) await symlink(found.path, join(bin, name));
  }
  const [port = 0] = await freePorts(1);
  const env = { ...environmentOf(home, bin), PAGE_PORT: `${port}`, TERMINALS: terminalsOf(scratch) };
  const names = { "/home/you": home, "127.0.0.1:8080": `127.0.0.1:${port}`, "--port 8080": `--port ${port}` };
  const type: Place["type"] = (script, opened) => typeIn({ scratch, env, script, opened });
  // Also those of a page that has failed.
  const each = 'for lock in ~/*/lock ~/.capstan/lock; do [ ! -e "$lock" ] || ';
  closing.defer(async () => {
    await type(`${each}CAPSTAN_DATA=$(dirname "$lock") capstan down; done`).catch(() => undefined);
  });
  await layOut(home, kubeconfig);
  await type("git -C ~/demo init -q && git -C ~/demo add . && git -C ~/demo commit -qm demo");
  const moved = closing.move();
  return { home, bin, names, type, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

const terminalsOf = (scratch: string): string => join(scratch, "terminals");

function environmentOf(home: string, bin: string): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _own, KUBECONFIG: _kubeconfig, ...inherited } = process.env;
  const path = [dirname(process.execPath), bin, "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  return { ...inherited, HOME: home, PATH: path };
}

/** The repository of docs/sources.md, a folder of names, and a kubeconfig where people have it. */
async function layOut(home: string, kubeconfig: string | undefined): Promise<void> {
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  };
  for (const [name, text] of Object.entries(demo)) await write(join("demo", name), text);
  await write("deployments/apps/web/names.txt", "ada\n");
  const { blocks } = readPage(await readFile(join(docs, "sources.md"), "utf8"));
  for (const command of blocks.flatMap(({ commands }) => commands))
    if (command.text === "cat jsonnet/main.jsonnet")
      await write("demo/jsonnet/main.jsonnet", `${command.output.join("\n")}\n`);
  await write(".gitconfig", "[user]\nname = You\nemail = you@example.com\n[init]\ndefaultBranch = main\n");
  if (kubeconfig === undefined) return;
  await mkdir(join(home, ".kube"));
  await copyFile(kubeconfig, join(home, ".kube", "config"));
}

interface Typing {
  readonly scratch: string;
  readonly env: NodeJS.ProcessEnv;
  readonly script: string;
  readonly opened: Opened | undefined;
}

async function typeIn({ scratch, env, script, opened }: Typing) {
  await writeFile(join(scratch, "page.sh"), script);
  const terminals = new Terminals(terminalsOf(scratch), env);
  await using shell = startProcess("/bin/bash", [join(scratch, "page.sh")], { cwd: env.HOME, env });
  const until = Date.now() + limitMs;
  const isOver = () => shell.ended() !== undefined || Date.now() > until;
  try {
    if (opened) await terminals.serve(opened.commands, opened.names, isOver);
    while (!isOver()) await sleep(50);
  } finally {
    await terminals.close();
  }
  return { said: shell.output(), beside: terminals.printed };
}
