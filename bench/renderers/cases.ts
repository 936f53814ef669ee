import type { ApplicationSource } from "@capstan/model";
import { toolPath } from "@capstan/programs";
import type { RepoServerOptions } from "@capstan/render";
import type { Files } from "@capstan/testkit";

export interface RendererCase {
  readonly name: string;
  readonly path: string;
  readonly files: Files;
  /** What a round commits. */
  change(round: number): Files;
  readonly source: Partial<ApplicationSource>;
  /** Run in the application's directory. */
  command(): Promise<readonly [string, ...string[]]>;
  /** What the repo server adds to the environment of this program: the command is measured with it too. */
  readonly tuning?: Readonly<Record<string, string>>;
  /** What is missing on this machine. */
  lacking?(): string | false;
  prepare?(opened: AsyncDisposableStack): Promise<PreparedCase | Absent>;
}

/** What turned out not to work on this machine. */
export interface Absent {
  readonly absent: string;
}

export interface PreparedCase {
  /** For the command and for the repo server. */
  readonly env: Readonly<Record<string, string>>;
  readonly server?: Partial<Pick<RepoServerOptions, "pipelines" | "pluginSockets" | "plugins">>;
}

/** packages/render/src/repo-server.ts */
const tuning = { GOGC: "400" };
const objects = 30;
const numbers = Array.from({ length: objects }, (_, index) => index);

function deployment(name: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: main, image: "example/${name}:1"}]}
`;
}

const settings = (round: number) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {round: "${round}"}\n`;

const kustomize: RendererCase = {
  name: "kustomize",
  path: "overlay",
  files: {
    ...Object.fromEntries(numbers.map((index) => [`base/d${index}.yaml`, deployment(`d${index}`)])),
    "base/kustomization.yaml": `resources:\n${numbers.map((index) => `- d${index}.yaml\n`).join("")}`,
    "overlay/kustomization.yaml":
      "namePrefix: shop-\nresources: [../base, settings.yaml]\nimages: [{name: example/d1, newTag: '2'}]\n",
  },
  change: (round) => ({ "overlay/settings.yaml": settings(round) }),
  source: {},
  tuning,
  command: async () => {
    const program = await toolPath("kustomize", process.env);
    return [program, program.endsWith("kubectl") ? "kustomize" : "build", "."];
  },
};

const helm: RendererCase = {
  name: "helm",
  path: "chart",
  files: {
    "chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    ...Object.fromEntries(
      numbers.map((index) => [
        `chart/templates/d${index}.yaml`,
        deployment(`d${index}`).replace(":1", ":{{ .Values.tag }}"),
      ]),
    ),
  },
  change: (round) => ({ "chart/values.yaml": `tag: v${round}\n` }),
  source: {},
  tuning,
  command: async () => [
    await toolPath("helm", process.env),
    ...["template", "helm", ".", "--namespace", "default", "--kube-version", "1.34.0", "--include-crds"],
  ],
};

/** Those that are a command line and nothing more. */
export const commandCases: readonly RendererCase[] = [kustomize, helm];
