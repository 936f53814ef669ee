import { applicationSchema } from "../application/application.ts";
import { applicationSetSchema } from "../application-set/application-set.ts";
import { appProjectSchema } from "../project/app-project.ts";
import type { Shape } from "../schema/schema.ts";
import { blocking, honoured, type KnownSetting } from "./known-setting.ts";

const application = { holder: "Application", part: "field" } as const;
const project = { holder: "AppProject", part: "field" } as const;
const applicationSet = { holder: "ApplicationSet", part: "field" } as const;

/** What holds for a field and for all below it; the longest path decides. `spec.source` stands for each source. */
export const fieldRules: readonly KnownSetting[] = [
  ...honoured(application, "engine/src", [
    "spec.destination",
    "spec.project",
    "spec.syncPolicy",
    "spec.ignoreDifferences",
  ]),
  ...honoured(application, "render/src", ["spec.source"]),
  ...honoured(application, "charts/src", ["spec.source.helm"]),
  ...honoured(application, "../plugins/kustomize/src", ["spec.source.kustomize"]),
  ...honoured(application, "../plugins/directory/src", ["spec.source.directory"]),
  ...honoured(application, "render/src/remote", ["spec.source.plugin"]),
  ...honoured(application, "controllers/src/application", [
    "spec.revisionHistoryLimit",
    "spec.syncPolicy.retry.refresh",
    "spec.syncPolicy.managedNamespaceMetadata",
  ]),
  ...honoured(application, "ui/src", ["spec.info"]),
  ...blocking(application, {
    "spec.sourceHydrator":
      "nothing renders its dry source into the branch that it names; the application is not synced: set spec.source in its place",
  }),
  ...honoured(project, "engine/src/access", [
    "spec.sourceRepos",
    "spec.sourceNamespaces",
    "spec.destinations",
    "spec.permitOnlyProjectScopedClusters",
    "spec.clusterResourceWhitelist",
    "spec.clusterResourceBlacklist",
    "spec.namespaceResourceWhitelist",
    "spec.namespaceResourceBlacklist",
    "spec.syncWindows",
    "spec.destinationServiceAccounts",
    "spec.signatureKeys",
    "spec.sourceIntegrity",
  ]),
  ...honoured(project, "servers/src/api/access", ["spec.roles"]),
  ...honoured(project, "servers/src/api/session", ["spec.roles[].jwtTokens"]),
  ...honoured(project, "model/src/project", [
    "spec.description",
    "spec.roles[].description",
    "spec.syncWindows[].description",
  ]),
  ...honoured(project, "engine/src/tree", ["spec.orphanedResources"]),
  ...honoured(project, "controllers/src/application", ["spec.orphanedResources.warn"]),
  ...honoured(applicationSet, "engine/src/generators", [
    "spec.goTemplate",
    "spec.generators",
    "spec.template",
    "spec.templatePatch",
    "spec.syncPolicy",
    "spec.preservedFields",
    "spec.ignoreApplicationDifferences",
  ]),
  ...honoured(applicationSet, "engine/src/rolling-sync", ["spec.strategy"]),
  ...honoured(applicationSet, "formats/src", [
    "spec.generators[].selector",
    "spec.generators[].clusters.selector",
    "spec.generators[].clusterDecisionResource.labelSelector",
  ]),
  ...honoured(applicationSet, "planning/src/application-set", [
    "spec.goTemplateOptions",
    ...[
      "github",
      "gitlab",
      "gitea",
      "bitbucketServer",
      "bitbucket",
      "azureDevOps",
      "awsCodeCommit",
      "cloneProtocol",
    ].map((part) => `spec.generators[].scmProvider.${part}`),
    ...["github", "gitlab", "gitea", "bitbucketServer", "bitbucket", "azuredevops"].map(
      (part) => `spec.generators[].pullRequest.${part}`,
    ),
  ]),
  // Whatever it says, selectors of nested generators count.
  ...honoured(applicationSet, "model/src/application-set", ["spec.applyNestedSelectors"]),
];

/** Every field of a specification, with what holds for it. */
export function knownFields(): KnownSetting[] {
  return [
    ...rowsOf("Application", applicationSchema.shape),
    ...rowsOf("AppProject", appProjectSchema.shape),
    ...rowsOf("ApplicationSet", applicationSetSchema.shape),
  ];
}

function rowsOf(holder: KnownSetting["holder"], shape: Shape): KnownSetting[] {
  const spec = shape.type === "object" ? shape.properties.spec : undefined;
  if (!spec) return [];
  return leavesOf(spec, "spec").flatMap((key) => {
    const rule = ruleOf(holder, key);
    return rule ? [{ ...rule, key }] : [];
  });
}

/** The rule for a field; nothing where none speaks of it. */
export function ruleOf(holder: KnownSetting["holder"], path: string): KnownSetting | undefined {
  const rules = fieldRules.filter((rule) => rule.holder === holder && isWithin(path, rule.key));
  return rules.sort((left, right) => right.key.length - left.key.length)[0];
}

export function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
}

/** Kinds within kinds are not told again: sources, templates, generators of generators. */
const told =
  /^spec\.(?:sources\[\]|sourceHydrator\.drySource\.(?:helm|kustomize|directory|plugin)|template\.|generators\[\]\.(?:matrix|merge)\.generators|generators\[\]\.\w+\.template)/;

export function leavesOf(shape: Shape, at: string): string[] {
  if (told.test(at)) return [];
  if (shape.type === "array") return leavesOf(shape.items, `${at}[]`);
  const names = shape.type === "object" ? Object.entries(shape.properties) : [];
  if (names.length === 0) return [at];
  return names.flatMap(([name, below]) => leavesOf(below, `${at}.${name}`));
}
