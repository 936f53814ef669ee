import { isRecord } from "@capstan/formats";
import { type Application, type ApplicationSource, sourcesOf } from "@capstan/model";
import type { DescribedSource, DescribedStage, PluginSummary, SourceDescription } from "@capstan/wire";

const none = { sensitive: false, announced: [], parameters: [], env: [] };

/** A chart, then a plugin that announces a parameter of each type. */
const stages: readonly DescribedStage[] = [
  {
    ...none,
    name: "helm",
    plugin: "helm",
    announced: [
      { name: "image.tag", string: "v1" },
      { name: "replicas", string: "2" },
    ],
  },
  {
    ...none,
    name: "labels",
    plugin: "label",
    announced: [
      { name: "team", title: "Team", tooltip: "Owner of the objects", required: true },
      { name: "tier", string: "web" },
      {
        name: "size",
        tooltip: "How much it may use",
        string: "small",
        choices: ["small", "medium", "large"],
      },
      { name: "weight", itemType: "number", string: "1" },
      { name: "strict", itemType: "boolean", string: "false" },
      { name: "hosts", collectionType: "array", array: ["a.example", "b.example"] },
      { name: "labels", collectionType: "map", map: { part: "front" } },
    ],
    parameters: [{ name: "team", string: "shop" }],
  },
];

const own = (name: string): DescribedStage => ({ ...none, name, plugin: name });

/** Applications of one tool alone; all others are of the two stages. */
const byApplication: Readonly<Record<string, SourceDescription>> = {
  newsletter: {
    plugin: "kustomize",
    sourceType: "Kustomize",
    stages: [own("kustomize")],
    kustomize: { images: ["registry.example.com/media/newsletter:1.8.0"] },
  },
  "batch-reports": { plugin: "directory", sourceType: "Directory", stages: [own("directory")] },
};

export function describeApp(app: Application): { sources: DescribedSource[] } {
  const two = { plugin: "two", sourceType: "Plugin", stages };
  const description = byApplication[app.metadata.name] ?? two;
  return { sources: sourcesOf(app).map(() => ({ description })) };
}

/** The application with its one source replaced, as the page's form asks for it; what is wrong, as a server says it. */
export function patchSource(app: Application, patch: string): Application | string {
  const operations: unknown = JSON.parse(patch);
  const [test, replace] = Array.isArray(operations) ? operations : [];
  if (JSON.stringify(givenBy(test)) !== JSON.stringify(app.spec.source))
    return "the source is another by now";
  const source = givenBy(replace);
  if (!isSource(source)) return "no source";
  const tier = source.plugin?.parameters?.find(({ name }) => name === "labels/tier")?.string;
  if (tier === "bad") return 'stage labels: plugin label failed: parameter tier: "bad" is no tier';
  return { ...app, spec: { ...app.spec, source } };
}

function givenBy(operation: unknown): unknown {
  return isRecord(operation) ? operation.value : undefined;
}

function isSource(value: unknown): value is ApplicationSource {
  return isRecord(value) && typeof value.repoURL === "string";
}

export const pluginSummaries: readonly PluginSummary[] = [
  {
    name: "helm",
    origin: "built-in",
    shapes: ["generate"],
    keyedBy: "declared",
    sensitive: false,
    parameters: [],
  },
  {
    name: "label",
    origin: "installed",
    shapes: ["transform"],
    discovery: "**/labels.txt",
    keyedBy: "repository",
    sensitive: true,
    parameters: stages.at(-1)?.announced ?? [],
  },
  {
    name: "two",
    origin: "pipeline",
    shapes: ["generate"],
    keyedBy: "declared",
    sensitive: false,
    parameters: [],
    stages: stages.map(({ name, plugin }) => ({ name, plugin })),
  },
];
