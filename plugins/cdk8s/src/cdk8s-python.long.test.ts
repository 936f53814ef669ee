import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { failsWith, startWorld, TempFolder, type TestRepository } from "@capstan/testkit/render-world";
import { cdk8s } from "./cdk8s.ts";

type Files = Parameters<TestRepository["commit"]>[0];

const python = "/usr/bin/python3";
const hasPython = spawnSync(python, ["-m", "pip", "--version"]).status === 0;
const skip = !hasPython && `${python} with pip is not installed`;

/** An index of Python packages with one of ours. */
async function startIndex(folder: string) {
  const wheel = "capstan_parts-1.2.0-py3-none-any.whl";
  const info = "capstan_parts-1.2.0.dist-info";
  for (const name of ["capstan_parts", info]) mkdirSync(join(folder, name));
  const files = {
    "capstan_parts/__init__.py": `import json, os

def write(name, data):
    if name == "":
        raise ValueError("no part without a name")
    out = os.environ["CDK8S_OUTDIR"]
    os.makedirs(out, exist_ok=True)
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
    with open(os.path.join(out, name + ".k8s.yaml"), "w") as file:
        json.dump(manifest, file)
`,
    [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: capstan-parts\nVersion: 1.2.0\n",
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: `capstan_parts/__init__.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  execFileSync(python, ["-m", "zipfile", "-c", wheel, "capstan_parts/", `${info}/`], { cwd: folder });
  const data = readFileSync(join(folder, wheel));
  const hash = `sha256:${createHash("sha256").update(data).digest("hex")}`;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === "/simple/capstan-parts/")
      response.setHeader("content-type", "text/html").end(`<a href="/${wheel}">${wheel}</a>`);
    else if (request.url === `/${wheel}`) response.end(data);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/simple/`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, hash, asked, close };
}

async function openWorld(operator: Record<string, string> = {}) {
  const folder = new TempFolder();
  const index = await startIndex(folder.path);
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, CAPSTAN_CACHE: join(folder.path, "cache"), GIT_CONFIG_NOSYSTEM: "1" };
  const settings = { HOME: folder.path, PIP_INDEX_URL: index.url, CAPSTAN_UNCONFINED_COMMANDS: "true" };
  const world = await startWorld({ plugins: [cdk8s({ ...settings, ...operator })], env });
  const commit = (files: Files) => {
    world.repository.commit(
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`app/${name}`, text])),
    );
    world.server.forgetRevisions(world.repository.url);
  };
  const render = (noCache = false) => world.render({ path: "app" }, { noCache });
  return {
    ...{ ...world, index, commit, render },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      index.close();
      folder[Symbol.dispose]();
    },
  };
}

const settings = (command: string) => `language: python\napp: ${command}\n`;
const usesParts = `import os
import capstan_parts
capstan_parts.write("parts", {"who": os.environ["ARGOCD_APP_NAME"], "colour": "blue"})
`;

test("an application in Python gets the packages of its requirements.txt, installed once for its content", {
  skip,
}, async () => {
  await using world = await openWorld();
  world.commit({
    "cdk8s.yaml": settings(`${python} main.py`),
    "main.py": usesParts,
    "requirements.txt": `# made by pip-compile\ncapstan-parts==1.2.0 \\\n    --hash=${world.index.hash}\n`,
  });
  assert.deepEqual((await world.render()).manifests[0]?.manifest.data, { who: "web", colour: "blue" });
  assert.deepEqual(world.index.asked, ["/simple/capstan-parts/", "/capstan_parts-1.2.0-py3-none-any.whl"]);
  assert.equal((await world.render()).cache, "hit");
  await world.render(true);
  world.commit({ "main.py": usesParts.replace("blue", "red") });
  assert.deepEqual((await world.render()).manifests[0]?.manifest.data, { who: "web", colour: "red" });
  assert.equal(world.index.asked.length, 2, "nothing is installed again");
});

test("what pipenv locked is installed too, and pipenv is not needed", { skip }, async () => {
  await using world = await openWorld();
  const locked = (one: object) =>
    JSON.stringify({ _meta: {}, default: { "capstan-parts": one }, develop: {} });
  world.commit({
    "cdk8s.yaml": settings("pipenv run python3 main.py"),
    "main.py": usesParts,
    "Pipfile.lock": locked({
      version: "==1.2.0",
      hashes: [world.index.hash],
      index: "pypi",
      markers: "python_version >= '3.8'",
    }),
  });
  assert.deepEqual((await world.render()).manifests[0]?.manifest.data, { who: "web", colour: "blue" });
  world.commit({ "Pipfile.lock": locked({ git: "https://example.com/parts", ref: "main" }) });
  await assert.rejects(
    world.render(),
    failsWith({ code: "PLUGIN_FAILED", file: "app/Pipfile.lock" }, /package capstan-parts has no version/),
  );
});

test("what throws in Python is told with its file and line", { skip }, async () => {
  await using world = await openWorld();
  const facts = { code: "PLUGIN_FAILED", plugin: "cdk8s" } as const;
  const failing: [string, string, number, RegExp][] = [
    ["main.py", "import parts\nraise Exception('from python')\n", 2, /: line 2: Exception: from python$/],
    ["parts.py", "def part():\n    raise ValueError('no part')\n\npart()\n", 2, /ValueError: no part/],
    ["parts.py", "x = (\n", 1, /SyntaxError: '\(' was never closed/],
    ["parts.py", "\nimport gone\n", 2, /ModuleNotFoundError: No module named 'gone'/],
    ["parts.py", "import capstan_parts\n\ncapstan_parts.write('', {})\n", 3, /no part without a name/],
  ];
  for (const [file, text, line, message] of failing) {
    world.commit({
      "cdk8s.yaml": settings(`${python} main.py`),
      "main.py": "import parts\n",
      "parts.py": "",
      "requirements.txt": "capstan-parts==1.2.0\n",
      [file]: text,
    });
    await assert.rejects(world.render(), failsWith({ ...facts, file: `app/${file}`, line }, message));
  }
});

test("packages that have no version, or do not come from an index of the operator's, are refused with their line", {
  skip,
}, async () => {
  await using world = await openWorld();
  const refused = [
    "capstan-parts",
    "-e .",
    "--index-url https://example.com",
    "parts @ file:///etc",
    "../parts",
  ];
  for (const line of refused) {
    world.commit({
      "cdk8s.yaml": settings(`${python} main.py`),
      "main.py": usesParts,
      "requirements.txt": `# packages\n\n${line}\n`,
    });
    const place = { file: "app/requirements.txt", line: 3 };
    await assert.rejects(
      world.render(),
      failsWith({ code: "PLUGIN_FAILED", ...place }, /is no package with its version/),
    );
  }
  world.commit({ "requirements.txt": "capstan-parts==9.9.9\n" });
  await assert.rejects(
    world.render(),
    failsWith(
      { code: "TOOL_FAILED", tool: "pip" },
      /No matching distribution found for capstan-parts==9\.9\.9/,
    ),
  );
  assert.equal(world.index.asked.filter((path) => path.endsWith(".whl")).length, 0);
});

test("without packages, a script runs as it stands; so does every other program", { skip }, async () => {
  await using world = await openWorld();
  const writes = `import os
os.makedirs(os.environ["CDK8S_OUTDIR"])
open(os.environ["CDK8S_OUTDIR"] + "/x.yaml", "w").write("apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: plain}\\n")
`;
  world.commit({ "cdk8s.yaml": settings("python3 main.py"), "main.py": writes });
  assert.equal((await world.render()).manifests[0]?.manifest.metadata.name, "plain");
  world.commit({ "cdk8s.yaml": settings(`sh -c 'exec ${python} main.py'`) });
  assert.equal((await world.render()).manifests[0]?.manifest.metadata.name, "plain");
  world.commit({ "cdk8s.yaml": settings("no-such-pipenv run python main.py") });
  await assert.rejects(world.render(), failsWith({ code: "TOOL_MISSING", tool: "no-such-pipenv" }));
});

const hasCdk8s = spawnSync(python, ["-c", "import cdk8s"]).status === 0;

test("a Python application of cdk8s", {
  skip: !hasCdk8s && "cdk8s for Python is not installed: no registry of Python packages is reached here",
}, async () => {
  await using world = await openWorld();
  world.commit({
    "cdk8s.yaml": settings(`${python} main.py`),
    "main.py":
      'from cdk8s import App, Chart, ApiObject\napp = App()\nApiObject(Chart(app, "py"), "one", api_version="v1", kind="ConfigMap")\napp.synth()\n',
  });
  assert.equal((await world.render()).manifests[0]?.manifest.kind, "ConfigMap");
});
