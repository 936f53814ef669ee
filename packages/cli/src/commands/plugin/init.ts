import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileSchema } from "@capstan/model";
import { defineCommand, ExitError, UsageError } from "../../command.ts";
import { addKit, kitFileName } from "./add-kit.ts";

export default defineCommand({
  usage: "[DIR]",
  help: "Begin a plugin: a program in TypeScript, or a plugin.yaml with a script, each with a case for its test.",
  examples: ["capstan plugin init my-plugin", "capstan plugin init my-plugin --kind command"],
  argument: "file",
  arity: [0, 1],
  flags: {
    name: { kind: "string", help: "Name of the plugin (default the directory's)", value: "NAME" },
    kind: {
      kind: "string",
      help: "typescript, or command for a plugin.yaml that Argo CD runs too",
      choices: ["typescript", "command"],
      byDefault: "typescript",
    },
  },
  async run({ args: [directory = "."], flags, io }) {
    const folder = resolve(directory);
    const name = flags.name ?? basename(folder).toLowerCase();
    if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
      throw new UsageError(`--name: "${name}" must be lower-case letters, digits, "-" and "."`);
    const kitFile = await kitFileName();
    const files: Record<string, string> = {
      ...(flags.kind === "command" ? commandFiles(name) : programFiles(name, kitFile)),
      ...caseFiles,
    };
    const has = (file: string) => existsSync(join(folder, file));
    if (has(".gitignore")) delete files[".gitignore"];
    const there = Object.keys(files).find(has);
    if (there) throw new ExitError(`${join(directory, there)} is there already; name another directory`, 20);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
      if (file.endsWith(".sh")) await chmod(join(folder, file), 0o755);
      io.out(`${join(directory, file)}\n`);
    }
    if (flags.kind !== "command") io.out(`${join(directory, await addKit(folder, kitFile))}\n`);
    io.out(`\nNext: capstan plugin dev ${directory} --source ${join(directory, "testdata/hello/source")}\n`);
    return 0;
  },
});

function programFiles(name: string, kitFile: string): Record<string, string> {
  const program = `import { definePlugin, isMain, servePlugin, string } from "@capstan/plugin-kit";

const plugin = definePlugin({
  name: "${name}",
  discover: { fileName: "names.txt" },
  inputs: ["names.txt"],
  parameters: {
    greeting: string({ default: "Hello", tooltip: "Written before each name" }),
  },
  generate: async ({ read, parameters: { greeting } }) =>
    (await read("names.txt"))
      .split("\\n")
      .filter((name) => name !== "")
      .map((name) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name },
        data: { text: greeting + " " + name },
      })),
});

export default plugin;
if (isMain(import.meta)) await servePlugin(plugin);
`;
  return {
    "plugin.ts": program,
    "plugin.test.ts": testProgram,
    "package.json": `${JSON.stringify(packageOf(name, kitFile), undefined, 2)}\n`,
    "tsconfig.json": `${JSON.stringify({ compilerOptions, include: ["*.ts"] }, undefined, 2)}\n`,
    ".gitignore": "node_modules/\nout/\ndist/\n",
  };
}

/** The kit comes as a file, since nobody but whoever owns a name at npm decides what it stands for there. */
const packageOf = (name: string, kitFile: string) => ({
  name,
  version: "0.1.0",
  private: true,
  type: "module",
  engines: { node: ">=20.12" },
  scripts: {
    build: "tsc",
    test: "tsc && node --test out/plugin.test.js",
    start: "tsc && node out/plugin.js",
  },
  dependencies: { "@capstan/plugin-kit": `file:${kitFile}` },
  devDependencies: { "@types/node": "^20.19.0", typescript: "^7.0.2" },
});

const compilerOptions = {
  target: "es2022",
  module: "nodenext",
  strict: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  rewriteRelativeImportExtensions: true,
  types: ["node"],
  rootDir: ".",
  outDir: "out",
};

const testProgram = `import assert from "node:assert/strict";
import { test } from "node:test";
import { testPlugin } from "@capstan/plugin-kit";
import plugin from "./plugin.ts";

test("a ConfigMap for each name", async () => {
  const { manifests } = await testPlugin(plugin, {
    files: { "names.txt": "ada\\ngrace\\n" },
    parameters: { greeting: "Bye" },
  });
  assert.deepEqual(
    manifests.map(({ metadata, data }) => [metadata.name, data]),
    [
      ["ada", { text: "Bye ada" }],
      ["grace", { text: "Bye grace" }],
    ],
  );
});
`;

/** Beside the file, so that editors mark typing errors on whichever machine it lies. */
const schemaFile = ".schemas/plugin.schema.json";

function commandFiles(name: string): Record<string, string> {
  const config = `# yaml-language-server: $schema=${schemaFile}
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata:
  name: ${name}
spec:
  discover:
    fileName: names.txt
  inputs:
    globs: [names.txt]
  parameters:
    passDefaults: true
    static:
      - name: greeting
        tooltip: Written before each name
        string: Hello
  generate:
    command: [generate.sh]
`;
  const script = `#!/bin/sh
# Runs in the application's directory; what it prints are the manifests. In an image it stands on PATH.
# Argo CD passes no defaults of parameters, so the script has its own.
set -eu
while read -r name; do
  printf -- '---\\napiVersion: v1\\nkind: ConfigMap\\nmetadata:\\n  name: %s\\ndata:\\n  text: %s %s\\n' \\
    "$name" "\${PARAM_GREETING:-Hello}" "$name"
done < names.txt
`;
  return {
    "plugin.yaml": config,
    "generate.sh": script,
    [schemaFile]: `${JSON.stringify(fileSchema("plugin"), null, 2)}\n`,
  };
}

const caseFiles: Record<string, string> = {
  "testdata/hello/source/names.txt": "ada\n",
  "testdata/hello/expected.yaml": `---
apiVersion: v1
data:
  text: Hello ada
kind: ConfigMap
metadata:
  name: ada
`,
};
