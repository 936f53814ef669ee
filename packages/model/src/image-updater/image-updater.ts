import { labelSelectorSchema } from "../application-set/generators.ts";
import { namedMetaSchema } from "../manifest.ts";
import {
  boolean,
  integer,
  list,
  object,
  oneOf,
  optional,
  type Static,
  string,
  time,
} from "../schema/schema.ts";
import { hasShape, liveShape } from "../validation.ts";

/** argocd-image-updater api/v1alpha1, of its version 1. */
export const imageUpdaterGroup = "argocd-image-updater.argoproj.io";
export const imageUpdaterApiVersion = `${imageUpdaterGroup}/v1alpha1`;

const updateSettingsSchema = object({
  updateStrategy: optional(string({ description: "semver, newest-build, alphabetical or digest" })),
  forceUpdate: optional(boolean({ description: "Also where the application has no such image running" })),
  allowTags: optional(string({ description: "any, or regexp:EXPRESSION" })),
  ignoreTags: optional(list(string(), { description: "Globs of tags that are passed over" })),
  pullSecret: optional(string({ description: "Of the same namespace" })),
  platforms: optional(list(string(), { description: "As linux/amd64" })),
});
export type ImageUpdateSettings = Static<typeof updateSettingsSchema>;

const bare = () => optional(object({}));

const pullRequestSchema = object(
  {
    github: bare(),
    gitlab: bare(),
    gitea: bare(),
    bitbucket: bare(),
    bitbucketServer: bare(),
    azureDevOps: bare(),
    labels: optional(list(string())),
  },
  { description: "A request to merge instead of a push to the branch; exactly one host" },
);

const writeBackSchema = object({
  method: optional(
    string({
      description: "argocd, git or git:CREDENTIALS",
      pattern: "^(argocd|git|git:[a-zA-Z0-9][a-zA-Z0-9-._/:]*)$",
    }),
  ),
  gitConfig: optional(
    object({
      repository: optional(string({ description: "Absent: that of the application's source" })),
      branch: optional(string({ description: "Absent: targetRevision of the application's source" })),
      writeBackTarget: optional(string({ description: "kustomization[:FOLDER] or helmvalues[:FILE]" })),
      pullRequest: optional(pullRequestSchema),
    }),
  ),
});
export type ImageWriteBack = Static<typeof writeBackSchema>;

const verificationSchema = object({
  enabled: optional(boolean({ description: "Absent: true" })),
  cosignKey: optional(object({ secretName: string(), key: string() })),
});
export type ImagesVerification = Static<typeof verificationSchema>;

const overridable = {
  commonUpdateSettings: optional(updateSettingsSchema),
  imagesVerification: optional(verificationSchema),
};

const targetsSchema = object({
  helm: optional(object({ name: optional(string()), tag: optional(string()), spec: optional(string()) })),
  kustomize: optional(object({ name: string() })),
  plugin: optional(object({ name: optional(string()), tag: optional(string()), spec: optional(string()) })),
});

const imageSchema = object({
  alias: string({ pattern: "^[a-zA-Z0-9][a-zA-Z0-9-._]*$" }),
  imageName: string({ description: "NAME[:CONSTRAINT]" }),
  manifestTargets: optional(targetsSchema),
  ...overridable,
});
export type UpdaterImage = Static<typeof imageSchema>;

const applicationRefSchema = object({
  namePattern: string({ description: "A glob of names of Applications of the same namespace" }),
  labelSelectors: optional(labelSelectorSchema),
  useAnnotations: optional(
    boolean({ description: "Images and write-back are those that the Application's annotations say" }),
  ),
  images: optional(list(imageSchema)),
  writeBackConfig: optional(writeBackSchema),
  ...overridable,
});
export type UpdaterApplicationRef = Static<typeof applicationRefSchema>;

const conditionSchema = object({
  type: string(),
  status: oneOf(["True", "False", "Unknown"]),
  observedGeneration: optional(integer()),
  lastTransitionTime: time(),
  reason: string(),
  message: string(),
});

const statusSchema = object({
  observedGeneration: optional(integer({ minimum: 0 })),
  lastCheckedAt: optional(time()),
  lastUpdatedAt: optional(time()),
  applicationsMatched: optional(integer({ minimum: 0 })),
  imagesManaged: optional(integer({ minimum: 0 })),
  recentUpdates: optional(
    list(
      object({
        alias: string(),
        image: string(),
        newVersion: string(),
        applicationsUpdated: integer({ minimum: 0 }),
        updatedAt: time(),
        message: optional(string()),
      }),
    ),
  ),
  conditions: optional(list(conditionSchema)),
});
export type ImageUpdaterStatus = Static<typeof statusSchema>;

export const imageUpdaterSchema = object(
  {
    apiVersion: string(),
    kind: oneOf(["ImageUpdater"]),
    metadata: namedMetaSchema,
    spec: object({
      applicationRefs: list(applicationRefSchema, { description: "The most specific one counts" }),
      writeBackConfig: optional(writeBackSchema),
      ...overridable,
    }),
    status: optional(statusSchema),
  },
  { description: "Which images of which Applications of the same namespace are followed, and how" },
);
export type ImageUpdater = Static<typeof imageUpdaterSchema>;

export function isImageUpdater(value: unknown): value is ImageUpdater {
  return hasShape(imageUpdaterSchema, value);
}

/** Of an object of a live state. */
export const isLiveUpdater = liveShape(isImageUpdater);
