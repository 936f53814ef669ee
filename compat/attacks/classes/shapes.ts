/** Charts, indexes, archives and addresses that are not what they ought to be: nothing falls over them. */
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";
import type { Attack, AttackWorld } from "../attack.ts";
import { beside } from "../beside.ts";
import { fineConfigMap } from "../config-maps.ts";
import { type Deployment, deploys } from "../deploy.ts";
import { withRepository } from "../own-server.ts";
import { asks } from "../request.ts";

const chartOf = (repoURL: string): Deployment => ({
  source: () => ({ repoURL, chart: "odd", targetRevision: "1.0.0", path: "" }),
  // The repository itself is permitted: a refusal for another reason would prove nothing.
  ends: { refused: /^(?!.*does not permit)/s },
});

/** The index as given; what it names is not there. */
const withIndex =
  (name: string, index: string): Attack["play"] =>
  (world) =>
    withRepository(
      (_, response) => response.writeHead(200, { "content-type": "application/yaml" }).end(index),
      (repoURL) => deploys(name, chartOf(repoURL))(world),
    );

/** An index without end: a piece each time that the reader is ready for one. */
const endless =
  (name: string): Attack["play"] =>
  (world) =>
    withRepository(
      (_, response) => {
        response.writeHead(200, { "content-type": "application/yaml" });
        response.write("apiVersion: v1\nentries:\n");
        const piece = "  a: []\n".repeat(10_000);
        const more = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on("drain", more);
        more();
      },
      (repoURL) => deploys(name, chartOf(repoURL))(world),
    );

interface Entry {
  name: string;
  text?: string;
  link?: string;
  type?: "symlink" | "link";
}

async function archive(entries: readonly Entry[]): Promise<Buffer> {
  const packed = pack();
  for (const { name, text = "", link, type } of entries)
    if (link && type) packed.entry({ name, type, linkname: link });
    else packed.entry({ name }, text);
  packed.finalize();
  return buffer(packed.pipe(createGzip()));
}

const index =
  'apiVersion: v1\nentries:\n  odd:\n  - {apiVersion: v2, name: odd, version: 1.0.0, urls: ["odd-1.0.0.tgz"]}\n';

/** A chart whose archive has these entries beside an ordinary Chart.yaml. */
const withArchive =
  (name: string, entries: (world: AttackWorld) => readonly Entry[]): Attack["play"] =>
  async (world) => {
    const chart = { name: "odd/Chart.yaml", text: "apiVersion: v2\nname: odd\nversion: 1.0.0\n" };
    const template = {
      name: "odd/templates/a.yaml",
      text: `${fineConfigMap}data:\n  leak: {{ .Files.Get "leak" | quote }}\n`,
    };
    const body = await archive([chart, template, ...entries(world)]);
    await withRepository(
      (request, response) => {
        response.writeHead(200).end(request.url?.endsWith(".tgz") ? body : index);
      },
      (repoURL) => deploys(name, { ...chartOf(repoURL), ends: { either: true } })(world),
    );
  };

/** A chart repository with a password names an archive on another server, which listens for the password. */
const passwordElsewhere: Attack["play"] = async (world) => {
  const seen: (string | undefined)[] = [];
  const listens: RequestListener = (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(404).end();
  };
  await withRepository(listens, (elsewhere) => {
    const named = index.replace('"odd-1.0.0.tgz"', `"${elsewhere}/odd-1.0.0.tgz"`);
    const serves: RequestListener = (_, response) => response.writeHead(200).end(named);
    return withRepository(serves, async (repo) => {
      const body = { repo, type: "helm", name: "odd", project: "team", username: "u", password: "p" };
      await world.ask("alice", "POST /api/v1/repositories?upsert=true", { body });
      await deploys("password-elsewhere", chartOf(repo))(world);
    });
  });
  assert.deepEqual(
    seen.filter((one) => one !== undefined),
    [],
  );
};

const heldBy = {
  index: "indexes are read bounded, each field by its type",
  archive: "entries of archives are names below the chart; links lead nowhere else",
  helm: "helm runs in a process of its own; its failure is the application's alone",
} as const;

export const attacks: readonly Attack[] = [
  {
    id: "shapes/index-with-an-empty-entry",
    threat: "A Helm repository's index has empty entries",
    heldBy: heldBy.index,
    advisories: ["CVE-2022-23525"],
    play: withIndex("empty-entry", "apiVersion: v1\nentries:\n  odd:\n  - null\n  - {}\n  other: null\n"),
  },
  {
    id: "shapes/index-of-other-types",
    threat: "A Helm repository's index has fields of other types",
    heldBy: heldBy.index,
    advisories: ["CVE-2024-26147"],
    play: withIndex(
      "odd-index",
      "apiVersion: 1\nentries:\n  odd:\n  - {name: [odd], version: {a: 1}, urls: x, created: 7}\n  - 7\n  - [odd]\n",
    ),
  },
  {
    id: "shapes/index-without-end",
    threat: "A Helm repository's index never ends",
    heldBy: heldBy.index,
    advisories: ["CVE-2024-29893", "CVE-2022-36049"],
    play: endless("endless-index"),
  },
  {
    id: "shapes/password-of-an-index-elsewhere",
    threat: "A chart repository with a password names an archive on another server",
    heldBy: "passwords stay with scheme, host and port that they are for",
    advisories: ["CVE-2021-32690"],
    play: passwordElsewhere,
  },
  {
    id: "shapes/archive-with-ways-up",
    threat: "A chart's archive has entries named by .. and by absolute paths",
    heldBy: heldBy.archive,
    advisories: ["CVE-2007-4559"],
    play: withArchive("ways-up", ({ at }) => [
      { name: `odd/${"../".repeat(20)}${at.proof.slice(1)}`, text: "x" },
      { name: at.proof, text: "x" },
    ]),
  },
  {
    id: "shapes/archive-that-writes-through-a-link",
    threat: "A chart's archive has a link to a folder of the machine and then a file below it",
    heldBy: heldBy.archive,
    advisories: ["CVE-2021-32803"],
    play: withArchive("through-a-link", ({ at }) => [
      { name: "odd/files", type: "symlink", link: at.outside },
      { name: "odd/files/written", text: "x" },
    ]),
  },
  {
    id: "shapes/archive-with-links-to-read",
    threat: "A chart's archive has links and hard links to a file of the machine, which a template shows",
    heldBy: heldBy.archive,
    advisories: ["CVE-2019-18658"],
    play: withArchive("links-to-read", ({ at }) => [
      { name: "odd/leak", type: "symlink", link: `${at.outside}/secret` },
      { name: "odd/hard", type: "link", link: `${at.outside}/secret` },
    ]),
  },
  {
    id: "shapes/chart-of-other-types",
    threat: "Chart.yaml has fields of other types",
    heldBy: heldBy.helm,
    advisories: ["CVE-2025-55198"],
    play: deploys("odd-chart", {
      files: () => ({
        "app/Chart.yaml":
          "apiVersion: v2\nname: [odd]\nversion: {a: 1}\ndependencies: 7\nmaintainers: [null, 7]\n",
        "app/templates/a.yaml": fineConfigMap,
      }),
      ends: { refused: /./ },
    }),
  },
  {
    id: "shapes/template-that-asks-for-a-name",
    threat: "A chart's template looks a host name up, and so tells a value to whoever answers",
    heldBy: "helm template is not given --enable-dns",
    advisories: ["CVE-2023-25165"],
    play: deploys("asks-for-a-name", {
      files: () => ({
        "app/Chart.yaml": "apiVersion: v2\nname: asks\nversion: 1.0.0\n",
        "app/templates/a.yaml": `${fineConfigMap}data:\n  x: {{ getHostByName "localhost" | quote }}\n  y: {{ if getHostByName "localhost" }}{{ fail "a name was looked up" }}{{ end }}z\n`,
      }),
      ends: { harmless: true },
    }),
  },
  {
    id: "shapes/duration-that-cannot-be-read",
    threat: "An application's retry has a duration that cannot be read",
    heldBy: "durations are read with a default and a message; a failure is one application's",
    advisories: ["CVE-2022-39272"],
    play: deploys("odd-duration", {
      files: () => ({ "app/a.yaml": fineConfigMap }),
      application: () => ({
        spec: {
          syncPolicy: {
            automated: {},
            syncOptions: ["CreateNamespace=true"],
            retry: { limit: 3, backoff: { duration: "for ever", factor: 2, maxDuration: "-1x" } },
          },
        },
      }),
      ends: { either: true },
    }),
  },
  {
    id: "shapes/a-sync-of-nothing-but-a-namespace",
    threat: "An application asks for a sync that makes its namespace and applies nothing",
    heldBy: "a step of a sync that does nothing and changes nothing is an error of that one sync",
    play: beside("nothing-but-namespace", {
      files: () => ({ "app/README.md": "nothing to apply\n" }),
      application: () => ({ operation: { sync: { syncOptions: ["CreateNamespace=true"] } } }),
      ends: { either: true },
    }),
  },
  {
    id: "shapes/control-codes-in-an-address",
    threat: "A repository's address has a carriage return, a line feed or an escape code",
    heldBy: "such addresses are refused; what is printed is printable",
    advisories: ["CVE-2024-50349", "CVE-2024-52006"],
    play: async (world) => {
      for (const odd of ["\r", "\n", "\u001b[31m"])
        await asks({
          who: "admin",
          method: "POST",
          path: () => "/api/v1/repositories",
          body: () => ({ repo: `http://127.0.0.1:9/${odd}team-x.git`, type: "git" }),
          status: [400, 412, 424, 503],
        })(world);
    },
  },
  {
    id: "shapes/password-in-an-error",
    threat: "A repository with a password cannot be reached, and the error tells its address",
    heldBy: "passwords of addresses are stripped from every message and log line",
    advisories: ["CVE-2023-25163"],
    play: async (world) => {
      const password = "a-password-in-an-address";
      const repoURL = world.at.gitUrl.replace("//", `//team:${password}@`);
      await deploys("password-in-error", {
        source: () => ({ repoURL: `${repoURL}/team-absent.git` }),
        ends: { refused: /./ },
      })(world);
      assert.ok(!world.capstan.output().includes(password), "the log shows the password");
    },
  },
  {
    id: "shapes/parallel-changes-of-credentials",
    threat: "Credentials are changed by many requests at once",
    heldBy: "each change is one write, settled by the resource version",
    advisories: ["CVE-2025-55191"],
    play: async (world) => {
      const repo = `${world.at.gitUrl}/team-parallel.git`;
      const put = (index: number) =>
        world.ask("alice", "POST /api/v1/repositories?upsert=true", {
          body: { repo, type: "git", project: "team", username: `u${index}`, password: "x" },
        });
      const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => put(index)));
      for (const { status, body } of answers) assert.notEqual(status, 500, JSON.stringify(body));
      await world.assertUnharmed(answers.map(({ body }) => JSON.stringify(body)));
    },
  },
];
