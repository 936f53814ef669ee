import type { ApplicationSource } from "@capstan/model";

type Bare = Omit<ApplicationSource, "helm" | "kustomize" | "directory" | "plugin">;

/** The source without the sections that say which tool renders it. */
export function bareSource({
  helm: _h,
  kustomize: _k,
  directory: _d,
  plugin: _p,
  ...bare
}: ApplicationSource): Bare {
  return bare;
}
