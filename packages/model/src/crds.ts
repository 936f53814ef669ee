import { applicationSchema } from "./application/application.ts";
import { applicationSetSchema } from "./application-set/application-set.ts";
import { imageUpdaterGroup, imageUpdaterSchema } from "./image-updater/image-updater.ts";
import type { Manifest } from "./manifest.ts";
import { pipelineSchema } from "./plugin/pipeline.ts";
import { appProjectSchema } from "./project/app-project.ts";
import { crdRootSchema } from "./schema/crd-schema.ts";
import type { Shape } from "./schema/schema.ts";

interface Definition {
  group: string;
  kind: string;
  plural: string;
  shortNames: string[];
  shape: Shape;
  hasStatusSubresource: boolean;
  columns: { name: string; type: string; jsonPath: string; priority?: number }[];
}

const definitions: readonly Definition[] = [
  {
    group: "argoproj.io",
    kind: "Application",
    plural: "applications",
    shortNames: ["app", "apps"],
    shape: applicationSchema.shape,
    // Controllers and the API server patch status and operation on the object itself, as Argo CD does.
    hasStatusSubresource: false,
    columns: [
      { name: "Sync Status", type: "string", jsonPath: ".status.sync.status" },
      { name: "Health Status", type: "string", jsonPath: ".status.health.status" },
      { name: "Revision", type: "string", jsonPath: ".status.sync.revision", priority: 10 },
      { name: "Project", type: "string", jsonPath: ".spec.project", priority: 10 },
    ],
  },
  {
    group: "argoproj.io",
    kind: "AppProject",
    plural: "appprojects",
    shortNames: ["appproj", "appprojs"],
    shape: appProjectSchema.shape,
    hasStatusSubresource: false,
    columns: [],
  },
  {
    group: "argoproj.io",
    kind: "ApplicationSet",
    plural: "applicationsets",
    shortNames: ["appset", "appsets"],
    shape: applicationSetSchema.shape,
    hasStatusSubresource: true,
    columns: [],
  },
  {
    group: imageUpdaterGroup,
    kind: "ImageUpdater",
    plural: "imageupdaters",
    shortNames: [],
    shape: imageUpdaterSchema.shape,
    hasStatusSubresource: true,
    columns: [
      { name: "Apps", type: "integer", jsonPath: ".status.applicationsMatched" },
      { name: "Images", type: "integer", jsonPath: ".status.imagesManaged" },
      { name: "Last Checked", type: "date", jsonPath: ".status.lastCheckedAt" },
      { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    ],
  },
  {
    group: "capstan.dev",
    kind: "Pipeline",
    plural: "pipelines",
    shortNames: [],
    shape: pipelineSchema.shape,
    hasStatusSubresource: false,
    columns: [],
  },
];

/** The CustomResourceDefinitions of everything that lives in a cluster. */
export function crds(): Manifest[] {
  return definitions.map(crd);
}

function crd({
  group,
  kind,
  plural,
  shortNames,
  shape,
  hasStatusSubresource,
  columns,
}: Definition): Manifest {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      labels: { "app.kubernetes.io/name": `${plural}.${group}`, "app.kubernetes.io/part-of": "capstan" },
    },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length === 0 ? {} : { shortNames }),
      },
      scope: "Namespaced",
      versions: [
        {
          name: "v1alpha1",
          served: true,
          storage: true,
          ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
          schema: { openAPIV3Schema: crdRootSchema(shape) },
          ...(hasStatusSubresource ? { subresources: { status: {} } } : {}),
        },
      ],
    },
  };
}
