/** Capstan's plugin server and Argo CD's own answer the same requests with the same bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lackingCmpServer, startCmpServer } from "@capstan/testkit";
import { startOurPluginServer } from "./our-plugin-server.ts";
import { askStock, checkStock, type StockMethod, type StockRequest } from "./stock-call.ts";

const skip = lackingCmpServer();

const configMap = (name: string, data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  ${data}\n`;

/** Every field of plugin.yaml in one. */
const whole = `
version: v1.2
init: {command: [sh, -c], args: ['echo "$ARGOCD_ENV_GREETING $ARGOCD_ENV_NAME" > init.txt; echo ready >&2']}
generate: {command: [sh, -c, 'for f in *.yaml; do echo "---"; cat "$f"; done; echo "---"; printf "kind: Seen\\ninit: "; cat init.txt']}
discover: {fileName: "./app*.yaml"}
preserveFileMode: true
provideGitCreds: true
parameters:
  static:
  - {name: replicas, title: Replicas, tooltip: how many, required: true, itemType: number, string: "1"}
  - {name: hosts, collectionType: array, array: [a, b]}
  dynamic: {command: [sh, -c, 'echo "[{\\"name\\": \\"seen\\", \\"collectionType\\": \\"map\\", \\"map\\": {\\"x\\": \\"$ARGOCD_ENV_NAME\\"}}]"']}
`;

interface Case {
  readonly spec: string;
  readonly request: StockRequest;
  readonly methods?: readonly StockMethod[];
  /** Where we say more, or the same in better words. */
  readonly differs?: { readonly stock: RegExp; readonly ours: RegExp };
}

const env = [
  { name: "ARGOCD_ENV_NAME", value: "x y" },
  { name: "ARGOCD_ENV_GREETING", value: "first" },
  { name: "", value: "dropped" },
  { name: "ARGOCD_ENV_EMPTY", value: "" },
  { name: "ARGOCD_ENV_GREETING", value: "last" },
];
const plain = { "app.yaml": configMap("one", "a: b") };
const print = (text: string) => `generate: {command: [cat, ${text}]}`;
const sh = (script: string) => `generate: {command: [sh, -c, ${JSON.stringify(script)}]}`;
const all: readonly StockMethod[] = ["generateManifest", "matchRepository", "getParametersAnnouncement"];

const cases: Readonly<Record<string, Case>> = {
  "a plugin with every field": { spec: whole, request: { files: plain, env }, methods: all },
  "a directory of the repository": {
    spec: whole,
    request: { files: { "x/y/app-1.yaml": configMap("deep", "n: 1"), "app.yaml": "{}" }, path: "x/y", env },
    methods: all,
  },
  "one that does not match": {
    spec: whole,
    request: { files: { "other.txt": "" }, path: "." },
    methods: ["matchRepository"],
  },
  "a glob that crosses directories": {
    spec: `${print("a")}\ndiscover: {find: {glob: "**/kustom*.yaml"}}`,
    request: { files: { "a/b/kustomization.yaml": "" } },
    methods: ["matchRepository"],
  },
  "a glob of braces": {
    spec: `${print("a")}\ndiscover: {find: {glob: "*.{k,star}"}}`,
    request: { files: { "b.star": "" } },
    methods: ["matchRepository"],
  },
  "a glob that matches nothing": {
    spec: `${print("a")}\ndiscover: {find: {glob: "**/a?.yaml"}}`,
    request: { files: { "d/ab.yaml": "" } },
    methods: ["matchRepository"],
  },
  "a command that finds": {
    spec: `${print("a")}\ndiscover: {find: {command: [sh, -c, "ls *.k; pwd | sed s,.*/,,"]}}`,
    request: { files: { "in/main.k": "" }, path: "in" },
    methods: ["matchRepository"],
  },
  "a command that finds nothing": {
    spec: `${print("a")}\ndiscover: {find: {command: ["true"]}}`,
    request: { files: plain },
    methods: ["matchRepository"],
  },
  "a command that fails to find": {
    spec: `${print("a")}\ndiscover: {find: {command: [sh, -c, "echo no >&2; exit 3"]}}`,
    request: { files: plain },
    methods: ["matchRepository"],
  },
  "no discovery": { spec: print("a"), request: { files: plain }, methods: ["matchRepository"] },
  "a failing init": {
    spec: `init: {command: [sh, -c, 'echo " broken " >&2; exit 7']}\n${print("app.yaml")}`,
    request: { files: plain },
  },
  "a failing generate that printed": { spec: sh("cat app.yaml; exit 1"), request: { files: plain } },
  "a generate that a signal ends": { spec: sh("kill -9 $$"), request: { files: plain } },
  "a program that is absent": {
    spec: "generate: {command: [no-such-program-here]}",
    request: { files: plain },
  },
  "a path that is absent": { spec: "generate: {command: [/no/such/program, '']}", request: { files: plain } },
  "empty output": { spec: sh("true"), request: { files: plain } },
  "null documents and comments": {
    spec: print("x"),
    request: { files: { x: "# only\n---\nnull\n---\n\n---\na: 1\n" } },
  },
  "a List": {
    spec: print("x"),
    request: {
      files: {
        x: `apiVersion: v1\nkind: List\nitems:\n- ${configMap("l", "a: b").replaceAll("\n", "\n  ")}\n`,
      },
    },
  },
  "a stream of JSON": {
    spec: print("x"),
    request: { files: { x: '{"b": 1,  "a":"<&>"}\n {"c":[ 1 ]}null{"d":{}}' } },
  },
  "JSON objects with separators": {
    spec: print("x"),
    request: { files: { x: '{"a": 1}\n---\n{"b": "é\\u2028"}\n' } },
  },
  "numbers, escapes and odd keys": {
    spec: print("x"),
    request: {
      files: {
        x: 'z: 1.0\na: 1e3\nb: 0x1F\nc: 9007199254740993\nd: 1.5e-9\ne: "<a>&b\\u2028"\nf: .5\n10: ten\ng: on\nh: 2001-01-01\ni: ~\nj: "\\x07\\b"\nl: 1e21\nm: !!binary aGk=\n',
      },
    },
  },
  "parameters that are no JSON": {
    spec: `${print("a")}\nparameters: {dynamic: {command: [echo, nonsense]}}`,
    request: { files: plain },
    methods: ["getParametersAnnouncement"],
    differs: {
      stock: /error unmarshaling dynamic parameter output/,
      ours: /spec\.parameters\.dynamic.*no JSON list/,
    },
  },
  "output that is no YAML": {
    spec: print("x"),
    request: { files: { x: "a: 1\n---\nb: [\n" } },
    differs: {
      stock: /failed to unmarshal manifest: .*line/,
      ours: /error generating manifests: .*document 2.*line 3|line 4/,
    },
  },
  "the environment": {
    spec: sh(
      'printf "e: \\"%s|%s|%s\\"" "$ARGOCD_ENV_GREETING" "${ARGOCD_ENV_EMPTY-unset}" "$ARGOCD_ENV_NAME"',
    ),
    request: { files: plain, env },
  },
  "output by the names of the descriptors": {
    spec: sh(
      "printf 'a: ' > /dev/stdout; echo b | tee /dev/stderr; bash -c 'echo \"c: $-\"'; test -p /dev/stdin; echo \"d: $?\"",
    ),
    request: { files: plain },
  },
  "links and modes": {
    spec: sh("printf 'out: |\\n'; find . -printf '  %p %y %m %l\\n' | LC_ALL=C sort"),
    request: {
      files: {
        "run.sh": { text: "#!/bin/sh\n", mode: 0o755 },
        "private/key": { text: "k", mode: 0o600 },
        "a/link": { link: "../run.sh" },
        "a/dangling": { link: "later/x" },
        "dir-link": { link: "private" },
      },
    },
  },
  "modes that are kept": {
    spec: `preserveFileMode: true\n${sh("printf 'out: |\\n'; find . -printf '  %p %y %m %l\\n' | LC_ALL=C sort")}`,
    request: {
      files: { "run.sh": { text: "#!/bin/sh\n", mode: 0o755 }, "private/key": { text: "k", mode: 0o600 } },
    },
  },
  "a link out of the repository": {
    spec: print("app.yaml"),
    request: { files: { ...plain, "x/out": { link: "../../../etc/passwd" } } },
    differs: {
      stock: /illegal filepath in symlink/,
      ours: /error decompressing tgz file: illegal filepath in symlink: \.\./,
    },
  },
  "a path out of the repository": {
    spec: print("app.yaml"),
    request: { files: plain, path: "../.." },
    differs: { stock: /out of workDir bound/, ours: /out of workDir bound/ },
  },
  "a path that is not there": {
    spec: print("app.yaml"),
    request: { files: plain, path: "nowhere" },
    differs: { stock: /no such file/, ours: /nowhere/ },
  },
  "chunks of any size": { spec: print("app.yaml"), request: { files: plain, chunkBytes: 7 } },
  "one chunk": { spec: print("app.yaml"), request: { files: plain, chunkBytes: 2 ** 20 } },
  "a wrong checksum": { spec: print("app.yaml"), request: { files: plain, spoil: "checksum" } },
  "a stream without metadata": { spec: print("app.yaml"), request: { files: plain, spoil: "no metadata" } },
  "metadata in the middle": {
    spec: print("app.yaml"),
    request: { files: plain, chunkBytes: 50, spoil: "metadata twice" },
  },
  "a damaged archive": {
    spec: print("app.yaml"),
    request: { files: plain, spoil: "archive" },
    differs: { stock: /error decompressing/, ours: /error decompressing/ },
  },
  "a hanging generate": {
    spec: sh("sleep 30"),
    request: { files: plain, deadlineMs: 1_500 },
    differs: { stock: /failed signal: (terminated|killed)/, ours: /failed signal: (terminated|killed)/ },
  },
  "a tree of 3 MB": {
    spec: sh("printf 'sum: '; cat big/* | sha256sum | cut -c1-64"),
    request: {
      files: Object.fromEntries(
        Array.from({ length: 300 }, (_, n) => [`big/${n}`, Buffer.alloc(10_000, `${n}x`)]),
      ),
    },
  },
};

const onlyGenerate: readonly StockMethod[] = ["generateManifest"];

for (const [fact, { spec, request, methods = onlyGenerate, differs }] of Object.entries(cases)) {
  test(`same answers: ${fact}`, { skip }, async () => {
    const pluginYaml = `apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: twin}
spec:
${spec.trim().replace(/^/gm, "  ")}
`;
    const socketName = spec.includes("version:") ? "twin-v1.2.sock" : "twin.sock";
    await using stock = await startCmpServer(pluginYaml);
    await using ours = await startOurPluginServer(pluginYaml, { socketName });
    assert.deepEqual(await checkStock(ours.socket), await checkStock(stock.socket));
    for (const method of methods) {
      const expected = await askStock(stock.socket, method, request);
      const answer = await askStock(ours.socket, method, request);
      if (!differs) assert.deepEqual(answer, expected, method);
      else {
        assert.match(JSON.stringify(expected), differs.stock);
        assert.match(JSON.stringify(answer), differs.ours);
      }
    }
  });
}
