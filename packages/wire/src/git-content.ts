import type { RevisionRequest } from "./repo-server.ts";

export interface PathPattern {
  path: string;
  /** Whatever the order, what matches is left out. */
  exclude?: boolean;
}

/** One of both is asked for. */
export interface GitContentRequest extends RevisionRequest {
  /** As Go's path.Match; hidden ones, and what is below them, only where `hidden` says so. */
  directories?: readonly PathPattern[];
  hidden?: boolean;
  /** As git's pathspecs, or with `doublestar` so that `*` stays within one directory. */
  files?: readonly PathPattern[];
  doublestar?: boolean;
}

export interface GitContent {
  revision: string;
  /** In byte order. */
  directories?: readonly string[];
  /** By path, each with the objects that it holds as YAML or JSON: one, or a list of them. */
  files?: readonly { path: string; objects: readonly { readonly [field: string]: unknown }[] }[];
}
