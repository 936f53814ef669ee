/** Links, names and archives that lead out of a repository: to read, to write, to have something run. */
import { execFileSync } from "node:child_process";
import type { HostedRepository } from "@capstan/testkit";
import type { Attack, Places } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { type Content, type Deployment, deploys } from "../deploy.ts";

const chart = "apiVersion: v2\nname: chart\nversion: 1.0.0\n";
const showsFile =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fine}\ndata: {x: {{ .Files.Get "leak" | quote }}}\n';
const held = {
  links:
    "links are gone part by part, as the system resolves them, in git objects and on disk; what leads out is refused",
  names: "a name that becomes a file's is one part of a path, or it is refused",
  writes:
    "what is written is written below an open root, never through a link that leads out, and makes a new file",
  git: "git is never started where a repository's files lie, and names that it would take for its own are refused",
} as const;
const outside = /outside of the repository|leads out of the repository/;

/** As text it stays inside: as many directories in as out. The system leaves with the first `..` behind `up -> .`. */
const climb = (to: string) => ({ link: `../${"up/".repeat(20)}${"../".repeat(20)}${to.slice(1)}` });
const up = { up: { link: "." } };

interface Case extends Pick<Deployment, "source" | "prepare" | "application"> {
  name: string;
  threat: string;
  held: keyof typeof held;
  files: (at: Places) => Readonly<Record<string, Content>>;
  advisories?: readonly string[];
  /** Said in the refusal; without it any end will do. */
  refused?: RegExp;
}

const reads: readonly Case[] = [
  {
    name: "link-read-by-a-chart",
    threat: "A chart's template reads a file of the machine through `..` behind a link",
    held: "links",
    files: ({ outside: folder }) => ({
      ...up,
      "app/Chart.yaml": chart,
      "app/templates/a.yaml": showsFile,
      "app/leak": climb(`${folder}/secret`),
    }),
    advisories: ["CVE-2022-24731", "CVE-2022-24904", "CVE-2025-53547", "CVE-2019-18658"],
    refused: outside,
  },
  {
    name: "link-to-the-admin-password",
    threat: "A chart's template reads Capstan's own data through links",
    held: "links",
    files: ({ dataDir }) => ({
      ...up,
      "app/Chart.yaml": chart,
      "app/templates/a.yaml": showsFile,
      "app/leak": climb(`${dataDir}/admin-password`),
    }),
    refused: outside,
  },
  {
    name: "link-with-an-absolute-target",
    threat: "A manifest is an absolute link to a file of the machine",
    held: "links",
    files: ({ outside: folder }) => ({ "app/a.yaml": { link: `${folder}/secret` } }),
    advisories: ["CVE-2022-24731"],
    refused: outside,
  },
  {
    name: "link-through-a-link-to-a-directory",
    threat: "A kustomization's resource lies behind a directory link that leads upwards",
    held: "links",
    files: ({ outside: folder }) => ({
      "deep/er/x": "",
      d: { link: "deep/er" },
      "app/kustomization.yaml": "resources: [a.yaml]\n",
      "app/a.yaml": { link: `../d/../../../${"../".repeat(12)}${folder.slice(1)}/secret` },
    }),
    refused: outside,
  },
  {
    name: "link-in-jsonnet",
    threat: "A Jsonnet file imports a text through links",
    held: "links",
    files: ({ outside: folder }) => ({
      ...up,
      "app/a.jsonnet":
        '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "fine"}, data: {x: importstr "leak.txt"}}',
      "app/leak.txt": climb(`${folder}/secret`),
    }),
    source: () => ({ directory: { recurse: true } }),
    refused: outside,
  },
  {
    name: "link-as-value-file",
    threat: "An application names a value file that is a link out of the repository",
    held: "links",
    files: ({ outside: folder }) => ({
      ...up,
      "app/Chart.yaml": chart,
      "app/templates/a.yaml": `${fineConfigMap}data: {x: {{ toJson .Values | quote }}}\n`,
      "values/leak.yaml": climb(`${folder}/secret`),
    }),
    source: () => ({ helm: { valueFiles: ["../values/leak.yaml"] } }),
    advisories: ["CVE-2022-24348", "CVE-2022-31036", "CVE-2023-40026"],
    refused: outside,
  },
  {
    name: "value-file-by-its-path",
    threat: "An application names value files and file parameters by paths out of the repository",
    held: "links",
    files: () => ({ "app/Chart.yaml": chart, "app/templates/a.yaml": fineConfigMap }),
    source: ({ outside: folder }) => ({
      helm: { fileParameters: [{ name: "x", path: `${"../".repeat(20)}${folder.slice(1)}/secret` }] },
    }),
    advisories: ["CVE-2022-24348"],
    refused: outside,
  },
  {
    name: "link-in-a-chart-by-file-url",
    threat: "A chart depends by file:// on another one of the repository, which is a link out of it",
    held: "links",
    files: ({ outside: folder }) => ({
      ...up,
      "app/Chart.yaml": `${chart}dependencies:\n- {name: lib, version: 1.0.0, repository: 'file://../lib'}\n`,
      "app/templates/a.yaml": fineConfigMap,
      lib: { link: `${"up/".repeat(20)}${"../".repeat(20)}${folder.slice(1)}` },
    }),
    refused: outside,
  },
];

const writes: readonly Case[] = [
  {
    name: "link-written-by-kustomize",
    threat:
      "An application's kustomize section overwrites a file of the machine: the kustomization is a link to it",
    held: "writes",
    files: ({ proof }) => ({
      ...up,
      "app/kustomization.yaml": climb(proof),
      [`other${proof}`]: "resources: []\n",
    }),
    source: () => ({ kustomize: { commonAnnotations: { e: "written" } } }),
    refused: outside,
  },
  {
    name: "link-written-by-lovely",
    threat: "An application's LOVELY_HELM_MERGE writes through a value file that is a link",
    held: "writes",
    files: ({ proof }) => ({
      ...up,
      "app/Chart.yaml": chart,
      "app/templates/a.yaml": fineConfigMap,
      "app/values.yaml": climb(proof),
    }),
    source: () => ({
      plugin: { name: "lovely", env: [{ name: "LOVELY_HELM_MERGE", value: "a: written" }] },
    }),
  },
  {
    name: "dependency-named-by-a-path",
    threat: "A dependency's name in Chart.yaml is a path: what is downloaded would be written there",
    held: "names",
    files: ({ chartsUrl, proof }) => ({
      "app/Chart.yaml": `${chart}dependencies:\n- {name: '${"../".repeat(20)}${proof.slice(1)}', version: 1.0.0, repository: '${chartsUrl}'}\n`,
      "app/templates/a.yaml": fineConfigMap,
    }),
    advisories: ["CVE-2025-53547", "CVE-2024-25620"],
  },
  {
    name: "packed-chart-named-by-a-path",
    threat: "A chart of the repository, taken by file://, says in its Chart.yaml that its name is a path",
    held: "names",
    files: ({ proof }) => ({
      "app/Chart.yaml": `${chart}dependencies:\n- {name: lib, version: 1.0.0, repository: 'file://../lib'}\n`,
      "app/templates/a.yaml": fineConfigMap,
      "lib/Chart.yaml": `apiVersion: v2\nname: '${"../".repeat(20)}${proof.slice(1)}'\nversion: 1.0.0\n`,
    }),
    refused: /must be one name/,
  },
  {
    name: "kustomize-chart-named-by-a-path",
    threat:
      "helmCharts of a kustomization has a path for a name, and a folder out of the repository for its charts",
    held: "names",
    files: ({ chartsUrl, outside: folder }) => ({
      "app/kustomization.yaml": `helmGlobals: {chartHome: '${folder}'}\nhelmCharts:\n- {name: ../../x, repo: '${chartsUrl}', version: 1.0.0, releaseName: r}\n`,
    }),
    refused: outside,
  },
  {
    name: "generator-with-charts-elsewhere",
    threat:
      "A HelmChartInflationGenerator, inline and by a file, takes its charts from a folder of the machine",
    held: "names",
    files: ({ outside: folder }) => {
      const generator = `apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: g}\nname: x\nreleaseName: r\nchartHome: '${folder}'\n`;
      return {
        "app/kustomization.yaml": `generators:\n- g.yaml\n- |\n  ${generator.trim().replaceAll("\n", "\n  ")}\n`,
        "app/g.yaml": generator,
      };
    },
    refused: outside,
  },
];

const programs: readonly Case[] = [
  {
    name: "bare-repository-in-the-tree",
    threat: "The repository holds what git takes for a repository, whose configuration names a program",
    held: "git",
    files: ({ proof, gitUrl }) => ({
      HEAD: "ref: refs/heads/main\n",
      config: `[core]\n\tbare = true\n\trepositoryformatversion = 0\n\tsshCommand = touch ${proof}\n\tfsmonitor = touch ${proof}\n[credential]\n\thelper = "!touch ${proof}"\n`,
      "objects/x": "",
      "refs/x": "",
      "app/kustomization.yaml": `resources:\n- ${gitUrl}/team-absent.git//x?ref=main\n`,
    }),
    advisories: ["CVE-2022-24765", "CVE-2024-32002"],
  },
  {
    name: "git-folder-in-the-tree",
    threat: "A tree of git objects has an entry .GIT with a configuration that names a program",
    held: "git",
    files: () => ({ "app/a.yaml": fineConfigMap }),
    prepare: async (repository) => {
      const config = put(repository, ["hash-object", "-w", "--stdin"], "[core]\n\tfsmonitor = true\n");
      const folder = put(repository, ["mktree"], `100644 blob ${config}\tconfig\n`);
      await point(repository, put(repository, ["mktree"], `040000 tree ${folder}\t.GIT\n`));
    },
    advisories: ["CVE-2014-9390", "CVE-2023-49569"],
    refused: /leads out of the repository/,
  },
  {
    name: "a-name-twice-in-a-tree",
    threat:
      "A tree of git objects has one name twice: a link out of the repository, and a directory with a file",
    held: "links",
    files: () => ({ "app/a.yaml": fineConfigMap }),
    prepare: async (repository, { at }) => {
      const link = put(repository, ["hash-object", "-w", "--stdin"], at.outside);
      const file = put(repository, ["hash-object", "-w", "--stdin"], "written");
      const folder = put(repository, ["mktree"], `100644 blob ${file}\tfile\n`);
      const tree = put(repository, ["mktree"], `120000 blob ${link}\tapp\n040000 tree ${folder}\tapp\n`);
      await point(repository, tree);
    },
    advisories: ["CVE-2021-21300", "CVE-2025-48384"],
    refused: /leads out of the repository/,
  },
  {
    name: "helm-plugin-in-the-tree",
    threat: "A kustomization has helm look for plugins in the repository (helmGlobals.configHome)",
    held: "git",
    files: ({ proof }) => ({
      "app/kustomization.yaml":
        "helmGlobals: {configHome: app/h}\nhelmCharts:\n- {name: c, repo: 'proof://x', version: 1.0.0, releaseName: r}\n",
      "app/h/.data/plugins/p/plugin.yaml": `name: p\nversion: 1.0.0\ncommand: touch ${proof}\ndownloaders:\n- {command: 'touch ${proof}', protocols: [proof]}\n`,
    }),
  },
];

function put({ dir }: HostedRepository, args: readonly string[], input: string): string {
  return execFileSync("git", args, { cwd: dir, input, encoding: "utf8" }).trim();
}

/** The branch shows a commit of this tree. */
async function point(repository: HostedRepository, tree: string): Promise<void> {
  const commit = put(repository, ["commit-tree", tree, "-m", "objects"], "");
  await repository.git("update-ref", "refs/heads/main", commit);
}

export const attacks: readonly Attack[] = [...reads, ...writes, ...programs].map(
  ({ name, threat, held: by, files, refused, advisories, ...more }): Attack => ({
    id: `files/${name}`,
    threat,
    heldBy: held[by],
    ...(advisories ? { advisories } : {}),
    play: deploys(name, { files, ...more, ends: refused ? { refused } : { either: true } }),
  }),
);
