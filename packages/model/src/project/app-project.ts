import { destinationSchema } from "../application/spec.ts";
import { applicationConditionSchema } from "../application/status.ts";
import { namedMetaSchema } from "../manifest.ts";
import {
  boolean,
  integer,
  list,
  map,
  object,
  oneOf,
  optional,
  type Static,
  string,
} from "../schema/schema.ts";

const groupKind = { group: string(), kind: string() };

export const clusterResourceRuleSchema = object({ ...groupKind, name: optional(string()) });
export type ClusterResourceRule = Static<typeof clusterResourceRuleSchema>;

export const groupKindRuleSchema = object(groupKind);
export type GroupKindRule = Static<typeof groupKindRuleSchema>;

export const jwtTokenSchema = object({
  iat: integer(),
  exp: optional(integer()),
  id: optional(string()),
});

export const projectRoleSchema = object({
  name: string(),
  description: optional(string()),
  policies: optional(list(string())),
  groups: optional(list(string())),
  jwtTokens: optional(list(jwtTokenSchema)),
});
export type ProjectRole = Static<typeof projectRoleSchema>;

export const syncWindowSchema = object({
  kind: optional(oneOf(["allow", "deny"])),
  schedule: optional(string({ description: "Cron expression of five fields" })),
  duration: optional(string()),
  applications: optional(list(string())),
  namespaces: optional(list(string())),
  clusters: optional(list(string())),
  manualSync: optional(boolean()),
  syncOverrun: optional(boolean({ description: "A sync that began while allowed may continue" })),
  timeZone: optional(string()),
  andOperator: optional(boolean()),
  description: optional(string({ maxLength: 255 })),
});
export type SyncWindow = Static<typeof syncWindowSchema>;

export const orphanedResourcesSchema = object({
  warn: optional(boolean()),
  ignore: optional(
    list(object({ group: optional(string()), kind: optional(string()), name: optional(string()) })),
  ),
});

export const destinationServiceAccountSchema = object({
  server: string(),
  namespace: optional(string()),
  defaultServiceAccount: string(),
});

export const sourceIntegritySchema = object({
  git: optional(
    object({
      policies: list(
        object({
          repos: list(object({ url: string() })),
          gpg: optional(object({ mode: oneOf(["none", "head", "strict"]), keys: optional(list(string())) })),
        }),
      ),
    }),
  ),
});

export const appProjectSpecSchema = object({
  description: optional(string({ maxLength: 255 })),
  sourceRepos: optional(list(string())),
  sourceNamespaces: optional(list(string())),
  destinations: optional(list(destinationSchema)),
  permitOnlyProjectScopedClusters: optional(boolean()),
  clusterResourceWhitelist: optional(list(clusterResourceRuleSchema)),
  clusterResourceBlacklist: optional(list(clusterResourceRuleSchema)),
  namespaceResourceWhitelist: optional(list(groupKindRuleSchema)),
  namespaceResourceBlacklist: optional(list(groupKindRuleSchema)),
  roles: optional(list(projectRoleSchema)),
  syncWindows: optional(list(syncWindowSchema)),
  orphanedResources: optional(orphanedResourcesSchema),
  signatureKeys: optional(list(object({ keyID: string() }), { description: "Deprecated: sourceIntegrity" })),
  sourceIntegrity: optional(sourceIntegritySchema),
  destinationServiceAccounts: optional(list(destinationServiceAccountSchema)),
});
export type AppProjectSpec = Static<typeof appProjectSpecSchema>;

export const appProjectSchema = object(
  {
    apiVersion: string(),
    kind: oneOf(["AppProject"]),
    metadata: namedMetaSchema,
    spec: appProjectSpecSchema,
    status: optional(
      object({
        jwtTokensByRole: optional(map(object({ items: optional(list(jwtTokenSchema)) }))),
        conditions: optional(
          list(applicationConditionSchema, { description: "Capstan's own: what is set and not honoured" }),
        ),
      }),
    ),
  },
  { description: "What a group of applications may deploy, from where, to where, and who may act on them" },
);
export type AppProject = Static<typeof appProjectSchema>;
