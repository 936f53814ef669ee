/**
 * Small things of a repository that become large or never end. Each must come to an end by itself; meanwhile another
 * application of the same project is deployed as if nothing were. bench/bombs.ts measures the API beside them.
 */
import { randomBytes } from "node:crypto";
import type { Attack, Places } from "../attack.ts";
import { beside } from "../beside.ts";
import { aliases, growTree, kptfile, kustomizations, nested, starlark } from "../bomb-files.ts";
import { fineConfigMap } from "../config-maps.ts";
import type { Content, Deployment } from "../deploy.ts";

const chart = "apiVersion: v2\nname: bomb\nversion: 1.0.0\n";
const heldBy = {
  yaml: "aliases expand up to a number of nodes; depth is limited",
  process: "rendering has a process of its own with limits of time and memory; what exceeds them fails alone",
  tree: "a tree's entries, depth and bytes are counted while it is walked",
  archive: "entries, bytes and depth are counted while an archive is unpacked",
  pattern: "patterns of users are matched in time proportional to the text",
} as const;

interface Bomb {
  name: string;
  threat: string;
  held: keyof typeof heldBy;
  files: (at: Places) => Readonly<Record<string, Content>>;
  prepare?: NonNullable<Deployment["prepare"]>;
  source?: NonNullable<Deployment["source"]>;
  advisories?: readonly string[];
  slow?: true;
  /** Said in the refusal; without it any end will do. */
  refused?: RegExp;
}

const bombs: readonly Bomb[] = [
  {
    name: "yaml-aliases",
    threat: "A manifest's aliases expand without end",
    held: "yaml",
    files: () => ({ "app/a.yaml": `${fineConfigMap}data:\n  x: y\n---\n${aliases}\n` }),
    advisories: ["CVE-2019-11253"],
    refused: /alias/i,
  },
  {
    name: "yaml-aliases-in-values",
    threat: "A chart's values expand without end",
    held: "process",
    slow: true,
    files: () => ({
      "app/Chart.yaml": chart,
      "app/values.yaml": `${aliases}\n`,
      "app/templates/a.yaml": `${fineConfigMap}data:\n  x: {{ toJson .Values | quote }}\n`,
    }),
  },
  {
    name: "yaml-aliases-in-kustomization",
    threat: "A kustomization's aliases expand without end",
    held: "yaml",
    files: () => ({
      "app/kustomization.yaml": `${aliases}\nresources: [a.yaml]\n`,
      "app/a.yaml": fineConfigMap,
    }),
  },
  {
    name: "deep-yaml",
    threat: "A manifest is nested a hundred thousand levels deep",
    held: "yaml",
    files: () => ({ "app/a.yaml": `${fineConfigMap}data: ${nested(100_000)}\n` }),
    refused: /./,
  },
  {
    name: "deep-json",
    threat: "A JSON manifest is nested a hundred thousand levels deep",
    held: "yaml",
    files: () => ({
      "app/a.json": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":${nested(100_000)}}`,
    }),
    refused: /./,
  },
  {
    name: "git-tree",
    threat: "A commit of a few hundred bytes holds a thousand million files",
    held: "tree",
    files: () => ({}),
    prepare: (repository) => growTree(repository, 9),
    source: () => ({ directory: { recurse: true } }),
    refused: /./,
  },
  {
    name: "one-large-file",
    threat: "A manifest of hundreds of megabytes compresses to nothing in git",
    held: "tree",
    slow: true,
    files: () => ({ "app/a.yaml": Buffer.alloc(200 * 2 ** 20, "#") }),
    advisories: ["CVE-2022-31016"],
    refused: /./,
  },
  {
    name: "directory-include",
    threat: "The pattern of a directory source takes exponential time on a long name",
    held: "pattern",
    files: () => ({ [`app/${"a".repeat(150)}.yaml`]: fineConfigMap }),
    source: () => ({ directory: { include: "*a*a*a*a*a*a*a*x" } }),
  },
  {
    name: "jsonnet-loop",
    threat: "Jsonnet computes for ever",
    held: "process",
    slow: true,
    files: () => ({ "app/a.jsonnet": "local f(x) = f(x + 1) tailstrict; f(0)\n" }),
    refused: /./,
  },
  {
    name: "jsonnet-calls",
    threat: "Jsonnet calls itself twice, sixty levels deep",
    held: "process",
    slow: true,
    files: () => ({ "app/a.jsonnet": "local f(n) = if n == 0 then 0 else f(n - 1) + f(n - 1); f(60)\n" }),
    refused: /./,
  },
  {
    name: "jsonnet-memory",
    threat: "Jsonnet takes all memory",
    held: "process",
    slow: true,
    files: () => ({
      "app/a.jsonnet":
        "local g(s, n) = if n == 0 then s else g(s + s, n - 1) tailstrict; std.length(g('x', 60))\n",
    }),
    refused: /./,
  },
  {
    name: "jsonnet-arrays",
    threat: "Jsonnet makes arrays of arrays without end",
    held: "process",
    slow: true,
    files: () => ({
      "app/a.jsonnet": "std.makeArray(100000000, function(i) std.makeArray(1000, function(j) i * j))\n",
    }),
    refused: /./,
  },
  {
    name: "template-loop",
    threat: "A chart's template computes for minutes and prints gigabytes",
    held: "process",
    slow: true,
    files: () => ({
      "app/Chart.yaml": chart,
      "app/templates/a.yaml": "{{ range until 100000000 }}{{ range until 100000000 }}x{{ end }}{{ end }}\n",
    }),
    refused: /./,
  },
  {
    name: "template-memory",
    threat: "A chart's template takes all memory",
    held: "process",
    slow: true,
    files: () => ({
      "app/Chart.yaml": chart,
      "app/templates/a.yaml": `${fineConfigMap}data:\n  x: {{ repeat 4000000000 "x" | len | quote }}\n`,
    }),
  },
  {
    name: "bases-that-double",
    threat: "Each of forty levels of kustomizations names the next one twice",
    held: "process",
    slow: true,
    files: () => kustomizations(40),
    refused: /./,
  },
  {
    name: "base-that-is-its-parent",
    threat: "A kustomization names its own parent",
    held: "process",
    files: () => ({ "app/kustomization.yaml": "resources: [../app]\n" }),
    advisories: ["CVE-2022-24878"],
    refused: /./,
  },
  {
    name: "starlark-loop",
    threat: "A Starlark function of a kpt package computes for hours",
    held: "process",
    slow: true,
    files: () =>
      starlark(
        "    n = 0\n    for i in range(1000000000):\n      for j in range(1000000000):\n        n += 1\n",
      ),
    refused: /./,
  },
  {
    name: "starlark-memory",
    threat: "A Starlark function takes all memory",
    held: "process",
    slow: true,
    files: () =>
      starlark('    kept = []\n    for i in range(100000000):\n      kept.append("x" * 1000000 + str(i))\n'),
    refused: /./,
  },
  {
    name: "search-replace-pattern",
    threat: "A pattern of a kpt function takes exponential time",
    held: "pattern",
    files: () => ({
      "app/Kptfile": kptfile(
        "    - image: search-replace:v0.2\n      configMap:\n        by-value-regex: (a+)+(a+)+(a+)+$\n        put-value: x\n",
      ),
      "app/a.yaml": `${fineConfigMap}data:\n  x: ${"a".repeat(5_000)}b\n`,
    }),
  },
  {
    name: "many-manifests",
    threat: "A repository holds two hundred thousand manifests",
    held: "tree",
    slow: true,
    files: () => ({ "app/a.yaml": `${fineConfigMap}---\n`.repeat(200_000) }),
  },
  {
    name: "noise",
    threat: "A manifest of 20 MB is noise",
    held: "yaml",
    slow: true,
    files: () => ({ "app/a.yaml": randomBytes(10 * 2 ** 20).toString("hex") }),
    refused: /./,
  },
];

const published = (name: string) => (at: Places) => ({
  ...{ repoURL: at.chartsUrl, chart: name, targetRevision: "1.0.0", path: "" },
});

/** Chart archives come from the chart server, which serves what its test publishes. */
const charts: readonly Attack[] = [
  {
    id: "bombs/chart-of-many-files",
    slow: true,
    threat: "A chart's archive holds more than a hundred thousand empty files",
    heldBy: heldBy.archive,
    play: async (world) => {
      const files = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`f/${index}`, ""]));
      await world.charts.publish({ name: "many-files", version: "1.0.0", files });
      await beside("chart-of-many-files", {
        source: published("many-files"),
        ends: { refused: /./ },
      })(world);
    },
  },
  {
    id: "bombs/chart-of-zeros",
    slow: true,
    threat: "A chart's archive unpacks to gigabytes",
    heldBy: heldBy.archive,
    advisories: ["CVE-2023-40584", "CVE-2025-32386"],
    play: async (world) => {
      const zeros = Buffer.alloc(150 * 2 ** 20);
      await world.charts.publish({ name: "zeros", version: "1.0.0", files: { "files/zeros": zeros } });
      await beside("chart-of-zeros", {
        source: published("zeros"),
        ends: { refused: /./ },
      })(world);
    },
  },
  {
    id: "bombs/deep-schema",
    slow: true,
    threat: "A chart's values.schema.json is nested without end",
    heldBy: heldBy.process,
    advisories: ["CVE-2025-32387", "CVE-2025-55199", "CVE-2022-23526"],
    play: beside("deep-schema", {
      files: () => ({
        "app/Chart.yaml": chart,
        "app/values.yaml": "a: 1\n",
        "app/values.schema.json": `${'{"properties":{"a":'.repeat(20_000)}{}${"}}".repeat(20_000)}`,
        "app/templates/a.yaml": fineConfigMap,
      }),
      ends: { either: true },
    }),
  },
  {
    id: "bombs/huge-index-in-a-parameter",
    threat: "A Helm parameter sets an element of a list at an index of thousands of millions",
    heldBy: heldBy.process,
    advisories: ["CVE-2022-23524"],
    play: beside("huge-index", {
      files: () => ({ "app/Chart.yaml": chart, "app/templates/a.yaml": fineConfigMap }),
      source: () => ({ helm: { parameters: [{ name: "list[4294967295]", value: "x" }] } }),
      ends: { either: true },
    }),
  },
];

export const attacks: readonly Attack[] = [
  ...bombs.map(({ name, threat, held, advisories, slow, refused, ...of }) => ({
    id: `bombs/${name}`,
    threat,
    heldBy: heldBy[held],
    ...(advisories ? { advisories } : {}),
    ...(slow ? { slow } : {}),
    play: beside(name, { ...of, ends: refused ? { refused } : ({ either: true } as const) }),
  })),
  ...charts,
];
