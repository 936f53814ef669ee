/** Repositories, charts and files by address that a project does not permit. */
import type { Attack, Places } from "../attack.ts";
import { configMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";
import { withRepository } from "../own-server.ts";
import { asks } from "../request.ts";

const rivalApp = ({ gitUrl }: Places) => encodeURIComponent(`${gitUrl}/rival-app.git`);
const sourceRule =
  "addresses have one spelling, what cannot be read for certain is refused, and sourceRepos decide";

export const attacks: readonly Attack[] = [
  ...["/refs?appProject=team", "/apps?appProject=team&revision=main"].map(
    (path): Attack => ({
      id: `addresses/foreign-${path.slice(1, path.indexOf("?"))}`,
      threat: "An account looks into a foreign repository in the name of its own project",
      heldBy: sourceRule,
      play: asks({
        who: "alice",
        method: "GET",
        path: (at) => `/api/v1/repositories/${rivalApp(at)}${path}`,
        status: [400, 403],
        says: /is not permitted in project|permission denied/,
      }),
    }),
  ),
  {
    id: "addresses/foreign-appdetails",
    threat: "An account asks for the details of a source in a foreign repository",
    heldBy: sourceRule,
    advisories: ["CVE-2022-24730"],
    play: asks({
      who: "alice",
      method: "POST",
      path: (at) => `/api/v1/repositories/${rivalApp(at)}/appdetails`,
      body: ({ gitUrl }) => ({
        source: { repoURL: `${gitUrl}/rival-app.git`, path: "." },
        appProject: "team",
      }),
      status: [400, 403],
      says: /is not permitted in project|permission denied/,
    }),
  },
  ...[
    ["way-up", "team-x/../rival-app.git"],
    ["encoded-way-up", "team-x/%2e%2e/rival-app.git"],
    ["backslash-way-up", "team-x\\..\\rival-app.git"],
  ].map(
    ([name, path]): Attack => ({
      id: `addresses/a-repository-by-${name}`,
      threat: "An address begins as the project permits and leads elsewhere",
      heldBy: sourceRule,
      play: deploys(`bounds-${name}`, {
        source: ({ gitUrl }) => ({ repoURL: `${gitUrl}/${path}`, path: "." }),
        ends: { refused: /is not permitted in project/ },
      }),
    }),
  ),
  {
    id: "addresses/a-chart-by-way-up",
    threat: "The name of a chart leads out of the repository that the project permits",
    heldBy: "names of charts are path segments, no ways up",
    play: deploys("bounds-chart", {
      source: ({ chartsUrl }) => ({
        repoURL: chartsUrl,
        chart: "../rival/secret",
        targetRevision: "1.0.0",
        path: "",
      }),
      ends: { refused: /is no name of a chart/ },
    }),
  },
  {
    id: "addresses/a-git-server-that-leads-elsewhere",
    threat: "A git server that the project permits answers with a redirect to a repository that it forbids",
    heldBy: "git follows no redirect; Capstan follows those that stay at the repository's own host",
    play: (world) => {
      const to = `${world.at.gitUrl}/rival-app.git`;
      return withRepository(
        ({ url = "" }, response) =>
          response.writeHead(302, { location: to + url.replace("/team-charts", "") }).end(),
        (repoURL) =>
          deploys("leads-elsewhere", {
            source: () => ({ repoURL, path: "." }),
            ends: { refused: /leads to .* at another host/ },
          })(world),
      );
    },
  },
  {
    id: "addresses/a-remote-base",
    threat: "A kustomization names a base in a foreign repository",
    heldBy: "bases elsewhere are asked of the project before kustomize is started",
    advisories: ["CVE-2022-24877"],
    play: deploys("bounds-base", {
      files: ({ gitUrl }) => ({
        "app/kustomization.yaml": `resources: ["${gitUrl}/rival-app.git//?ref=main"]\n`,
      }),
      ends: { refused: /is not permitted in project/ },
    }),
  },
  {
    id: "addresses/a-base-of-a-remote-base",
    threat: "A permitted base elsewhere names, in turn, one in a foreign repository",
    heldBy: "Capstan brings bases and files elsewhere, asks the project for each, and kustomize asks nobody",
    advisories: ["CVE-2022-24877"],
    play: async (world) => {
      const { gitUrl } = world.at;
      await world.git.createRepository("team-base", {
        "kustomization.yaml": `resources: ["${gitUrl}/rival-app.git//?ref=main"]\n`,
      });
      await deploys("base-of-base", {
        files: () => ({
          "app/kustomization.yaml": `resources: ["${gitUrl}/team-base.git//?ref=main"]\n`,
        }),
        ends: { refused: /application repo \S*rival-app\S* is not permitted in project/ },
      })(world);
    },
  },
  {
    id: "addresses/a-file-in-a-generator",
    threat: "The configuration of a kustomize generator names a file that only the server reaches",
    heldBy: "kustomize has no network, what it may have from elsewhere was brought before",
    lacks: ({ mode }) => (mode.hasSandbox ? false : "without bubblewrap the loopback is open to it"),
    play: deploys("generator-file", {
      files: ({ url }) => ({
        "app/kustomization.yaml": "generators: [generator.yaml]\n",
        "app/generator.yaml": `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: made}\nfiles: ["${url}/api/version"]\n`,
      }),
      ends: { refused: /kustomize failed/ },
    }),
  },
  {
    id: "addresses/a-value-file-by-url",
    threat:
      "A value file's URL is one that only the server reaches; what it answers is shown in the manifests",
    heldBy: "URLs of value files are asked of the project before helm is started",
    play: deploys("bounds-values", {
      files: () => ({
        "app/Chart.yaml": "apiVersion: v2\nname: own\nversion: 1.0.0\n",
        "app/templates/a.yaml": configMap({ name: "own" }),
      }),
      source: ({ url }) => ({ helm: { valueFiles: [`${url}/api/v1/settings`] } }),
      ends: { refused: /is not permitted in project/ },
    }),
  },
  {
    id: "addresses/a-dependency-elsewhere",
    threat: "A chart depends on one of a registry that the project forbids",
    heldBy: "repositories of charts are asked of the project before anything is downloaded",
    play: deploys("bounds-dependency", {
      files: ({ url }) => ({
        "app/Chart.yaml": `apiVersion: v2\nname: own\nversion: 1.0.0\ndependencies: [{name: other, version: 1.0.0, repository: "${url}"}]\n`,
        "app/templates/a.yaml": configMap({ name: "own" }),
      }),
      ends: { refused: /helm repos .* are not permitted in project/ },
    }),
  },
];
