import assert from "node:assert/strict";
import { test } from "node:test";
import { catalog } from "./functions/catalog.ts";
import { readKptfile } from "./kptfile.ts";
import { Progress } from "./progress.ts";
import { renderPackage } from "./render-package.ts";
import { defaultImagePrefix, functionResolver } from "./resolve-function.ts";

const head = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\n";

const unreadable: Readonly<Record<string, readonly [source: string, details: string]>> = {
  "a word alone": [`${head}word\n;\n`, "yaml: line 5: could not find expected ':'"],
  "a list that goes on too far left": [
    `${head}info:\n  keywords:\n    - one\n  man: page\n    - two: 2\n`,
    "yaml: line 9: mapping values are not allowed in this context",
  ],
  "a tab": [`${head}info:\n\tman: page\n`, "yaml: line 6: found character that cannot start any token"],
  "a list in a configMap": [
    `${head}pipeline:\n  mutators:\n    - image: a\n      configMap:\n        b:\n          - c\n`,
    "yaml: unmarshal errors:\n  line 10: cannot unmarshal !!seq into string",
  ],
  "an object in a configMap": [
    `${head}pipeline:\n  mutators:\n    - image: a\n      configMap:\n        b: {c: d}\n`,
    "yaml: unmarshal errors:\n  line 9: cannot unmarshal !!map into string",
  ],
};

for (const [name, [source, details]] of Object.entries(unreadable))
  test(`a Kptfile is refused in the words of Go's YAML library: ${name}`, () => {
    assert.throws(() => readKptfile(source, "/pkg/app"), {
      message: `Kptfile at "/pkg/app" can't be read.\n\nDetails:\n${details}`,
    });
  });

async function render(files: Record<string, string>) {
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => undefined) };
  return renderPackage(new Map(Object.entries(files)), {
    rootName: "app",
    shownRoot: "/pkg/app",
    resolve: functionResolver({ catalog, imagePrefix: defaultImagePrefix }),
    context: { ...{ signal: new AbortController().signal, clock, env: {} }, ...nothingElse },
    progress: new Progress(() => undefined),
    mode: "in-place",
  });
}
const nothingElse = { allowNetwork: false, readFile: async () => undefined };

test("the status names a subpackage's Kptfile that cannot be read from the root", async () => {
  const { files } = await render({ Kptfile: head, "db/Kptfile": `${head}word\n` });
  assert.match(
    files.written.get("Kptfile") ?? "",
    /pkg\.render: pkg \.:\n\s+pkg\.Subpackages: pkg \.\/db: error reading Kptfile at "\.\/db": yaml: line 5: /,
  );
});

test("the status says of a subpackage whose pipeline is invalid which function it is", async () => {
  const broken = `${head}pipeline:\n  mutators:\n    - image: set-labels\n      configPath: none.yaml\n`;
  const { files, error } = await render({ Kptfile: head, "db/Kptfile": broken });
  assert.match(error?.message ?? "", /open \/pkg\/app\/db\/none\.yaml: no such file or directory/);
  assert.match(
    files.written.get("Kptfile") ?? "",
    /pkg\.render: pkg \.\/db:\n\s+pkg\.read: invalid pipeline: function "set-labels": Kptfile is invalid:/,
  );
});

test("a file without a resource stays", async () => {
  const { files, error } = await render({ Kptfile: head, "empty.yaml": "", "words.yaml": "# nothing yet\n" });
  assert.equal(error, undefined);
  assert.deepEqual(files.removed, []);
});
