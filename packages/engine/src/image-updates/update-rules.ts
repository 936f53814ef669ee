import type { ImageName } from "./image-name.ts";

export const updateStrategies = ["semver", "newest-build", "alphabetical", "digest"] as const;
export type UpdateStrategy = (typeof updateStrategies)[number];

/** Which tags an image may have: all, those that an expression of RE2 matches, none. */
export type TagFilter =
  | { readonly kind: "any" }
  | { readonly kind: "regexp"; readonly source: string }
  | { readonly kind: "none"; readonly because: string };

/** Where the credentials for a registry are. */
export type PullSecret =
  | { readonly kind: "pullsecret"; readonly namespace: string; readonly name: string }
  | { readonly kind: "secret"; readonly namespace: string; readonly name: string; readonly field: string }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "ext"; readonly program: string };

/** What holds an image's name and tag, or both as one; empty: nothing. */
export interface ValueNames {
  readonly name: string;
  readonly tag: string;
  readonly spec: string;
}

/** What an application says of one of its images. */
export interface ImageRule {
  /** As annotations name it. */
  readonly alias: string;
  readonly image: ImageName;
  readonly strategy: UpdateStrategy;
  /** Of versions, or the one tag of the strategy digest; empty: none. */
  readonly constraint: string;
  readonly allow: TagFilter;
  /** Globs as Go's path.Match. */
  readonly ignore: readonly string[];
  /** As linux/amd64; empty: any. */
  readonly platforms: readonly string[];
  readonly pullSecret?: PullSecret | undefined;
  /** Also where the application has no such image running. */
  readonly forceUpdate: boolean;
  readonly helm: ValueNames;
  /** Variables of a plugin; all empty: it has none for this image. */
  readonly plugin: ValueNames;
  /** The image that a kustomization names and this one takes the place of; empty: its own name. */
  readonly kustomizeName: string;
}

/** Of files: relative to the folder of the application's source, with a slash in front to the repository. */
export type WriteTarget =
  | { readonly kind: "override" }
  | { readonly kind: "kustomization"; readonly folder: string }
  | { readonly kind: "helmvalues"; readonly file: string };

export type GitCredentialsOf = "repository" | { readonly namespace: string; readonly name: string };

/** Kustomize and Helm have settings for images, plugins have variables; plain files have none. */
export type ImageTool = "Helm" | "Kustomize" | "Plugin";

/** Hosts that take requests to merge. */
export const requestHosts = [
  "github",
  "gitlab",
  "gitea",
  "bitbucket",
  "bitbucketServer",
  "azureDevOps",
] as const;
export type RequestHost = (typeof requestHosts)[number];

/** Where a new image is written down. */
export type WriteBack =
  | { readonly method: "argocd" }
  | {
      readonly method: "git";
      readonly credentials: GitCredentialsOf;
      readonly target: WriteTarget;
      /** Empty: that of the source. */
      readonly repository: string;
      /** What is read and followed; empty: the source's targetRevision. */
      readonly branch: string;
      /** A Go template of the branch that is pushed; empty: the same. */
      readonly pushBranch: string;
      /** That what is pushed be merged into the branch; absent: nobody is asked. */
      readonly request?: { readonly host: RequestHost; readonly labels: readonly string[] } | undefined;
    };

export interface UpdateRules {
  readonly images: readonly ImageRule[];
  /** Absent: what is written cannot be followed, so that nothing is written. */
  readonly writeBack: WriteBack | undefined;
  /** What is wrong, where it stands, and what to do; images with a problem are left out. */
  readonly problems: readonly string[];
}
