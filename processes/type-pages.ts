/**
 * The pages of docs/, typed command by command: each in a terminal of its own, one after another on one machine, as
 * CONTRIBUTING.md ("Commands in pages") says. What a page says is printed must be printed.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { type DocsBlock, type DocsCommand, readDocsBlocks, startProcess } from "@capstan/testkit";

const top = join(import.meta.dirname, "..");
const docs = join(top, "docs");
const limitMs = 100_000;
const mark = "\u001e";
/** Before the exit code of what was typed. */
const ended = "\u001f";
const untried = /^\*Not tried here: .+\*$/;
const untriedPage = /^\*The commands of this page are not tried by tests: .+\*$/m;
/** In this order, since each begins where its own first lines say. */
export const allPages: readonly string[] = [
  "getting-started",
  "troubleshooting",
  "embedded-cluster",
  "sources",
  "syncing",
  "writing-a-plugin",
  "lovely",
  "kpt",
  "secrets",
  "plugins",
  "pipelines",
  "command-line",
  "rights",
  "webhooks",
  "ci",
  "backup",
];
/** By tests of their own. */
const elsewhere = ["shipping-a-plugin"];

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

async function readPage(name: string): Promise<{ text: string; blocks: DocsBlock[] }> {
  const text = await readFile(join(docs, `${name}.md`), "utf8");
  return { text, blocks: readDocsBlocks(text).filter(({ commands }) => commands.length > 0) };
}

function isTried(page: string, block: DocsBlock): boolean {
  const above = page.split("\n").slice(0, block.line - 1);
  return !untried.test(above.findLast((line) => line.trim() !== "" && !line.startsWith("```")) ?? "");
}

/** For tests: that a page whose commands are not typed says so, and no other. */
export async function assertUntriedSaySo(): Promise<void> {
  const names = (await readdir(docs)).filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3));
  for (const name of names) {
    const { text, blocks } = await readPage(name);
    const isPlayed = [...allPages, ...elsewhere].includes(name);
    const expected = blocks.length > 0 && !isPlayed;
    assert.equal(
      untriedPage.test(text),
      expected,
      `docs/${name}.md: ${expected ? "says not" : "says"} that it is not tried`,
    );
  }
}

/** A line of a page as a pattern: what has a digit in it (times, names, amounts) may be another, as may spaces. */
function pattern(line: string, home: string): RegExp {
  const words = line.trim().replaceAll("/home/you", home).split(/\s+/);
  const quoted = words.map((word) =>
    word === "…" ? ".*" : /\d/.test(word) ? String.raw`\S+` : RegExp.escape(word).replaceAll("…", ".*"),
  );
  return new RegExp(quoted.join(String.raw`\s+`));
}

/** `cat FILE`, where a page shows what a file is to hold: it is written. */
function shownFile({ text, output }: DocsCommand): string {
  const [, file] = /(?:^|&& )cat ([\w./-]+)$/.exec(text) ?? [];
  if (file === undefined || output.length === 0) return "";
  return `mkdir -p "$(dirname ${file})"; [ -e ${file} ] || cat > ${file} <<'SHOWN'\n${output.join("\n")}\nSHOWN\n`;
}

/** As it was typed, in the folder where the line before ended. */
function scriptOf(commands: readonly DocsCommand[]): string {
  const steps = commands.map((command, index) => {
    const [, folder] = /^cd (\S+) && /.exec(command.text) ?? [];
    const written = shownFile(command);
    const first = folder && written ? `cd ${folder}\n${written}` : written;
    return `${first}printf '\\n${mark}${index}\\n'\n${command.text}\nprintf '\\n${ended}%s\\n' $?\n`;
  });
  // Who has neither types these; on PATH they would be what capstan itself looks for.
  const tools = ["kubectl", "helm"].map((name) => `${name}() { capstan ${name} "$@"; }\n`);
  return `exec 2>&1\n${tools.join("")}${steps.join("")}`;
}

/** For tests: types these pages, each from its first line to its last, beside one Capstan that is started for them. */
export function typePages(pages: readonly string[]): void {
  let scratch: string;
  let env: NodeJS.ProcessEnv;
  /** Of the page, HOST:PORT. */
  let address: string;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), "capstan-pages-"));
    const [home, bin] = [join(scratch, "home"), join(scratch, "bin")];
    for (const folder of [home, bin]) await mkdir(folder);
    await symlink(join(top, "bin", "capstan.js"), join(bin, "capstan"));
    for (const [name, text] of Object.entries(demo)) {
      await mkdir(dirname(join(home, "demo", name)), { recursive: true });
      await writeFile(join(home, "demo", name), text);
    }
    await writeFile(
      join(home, ".gitconfig"),
      "[user]\nname = You\nemail = you@example.com\n[init]\ndefaultBranch = main\n",
    );
    const { NODE_TEST_CONTEXT: _own, KUBECONFIG: _kubeconfig, ...inherited } = process.env;
    const path = [dirname(process.execPath), bin, "/usr/local/bin", "/usr/bin", "/bin"].join(":");
    env = { ...inherited, HOME: home, PATH: path };
    for (const command of (await readPage("sources")).blocks.flatMap(({ commands }) => commands))
      if (command.text === "cat jsonnet/main.jsonnet") await type(`cd ~/demo\n${shownFile(command)}`);
    await type("mkdir -p ~/deployments/apps/web && echo ada > ~/deployments/apps/web/names.txt");
    await type("git -C ~/demo init -q && git -C ~/demo add . && git -C ~/demo commit -qm demo");
    await type("capstan up --detach --wait && capstan app wait kustomized plain shop waves --health --sync");
    const { url = "" }: { url?: string } = JSON.parse(await type("capstan status -o json"));
    address = url.replace("http://", "");
  });
  after(async () => {
    // Also those of a page that has failed.
    const each = 'for lock in ~/*/lock ~/.capstan/lock; do [ ! -e "$lock" ] || ';
    await type(`${each}CAPSTAN_DATA=$(dirname "$lock") capstan down; done`).catch(() => undefined);
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  });

  async function type(script: string): Promise<string> {
    const home = env.HOME ?? "";
    await writeFile(join(scratch, "page.sh"), script);
    await using shell = startProcess("/bin/bash", [join(scratch, "page.sh")], { cwd: home, env });
    const until = Date.now() + limitMs;
    while (shell.ended() === undefined && Date.now() < until)
      await new Promise((next) => setTimeout(next, 50));
    return shell.output();
  }

  for (const name of pages)
    test(name, async () => {
      assert.ok(existsSync(join(env.HOME ?? "", ".capstan", "kubeconfig")), "capstan up has failed");
      const { text, blocks } = await readPage(name);
      const commands = blocks.filter((block) => isTried(text, block)).flatMap((block) => block.commands);
      const script = scriptOf(commands)
        .replaceAll("/home/you", env.HOME ?? "")
        .replaceAll("127.0.0.1:8080", address);
      const said = await type(script);
      const parts = said.split(mark).slice(1);
      for (const [index, { text: typed, output, line }] of commands.entries()) {
        const printed = parts.find((one) => one.startsWith(`${index}\n`)) ?? "";
        const where = `docs/${name}.md, line ${line}: ${typed}`;
        const code = printed.split(ended)[1]?.trim();
        // Of what prints what it should, some say more with their code: differences, a "no".
        const isRight = code === "0" || (code === "1" && output.length > 0);
        assert.ok(isRight, `${where}\nends with ${code}:\n${printed || said}`);
        for (const expected of output)
          if (expected.trim() !== "" && expected.trim() !== "…")
            assert.match(
              printed,
              pattern(expected, env.HOME ?? ""),
              `${where}\nsays not "${expected}":\n${printed}`,
            );
      }
    });
}
