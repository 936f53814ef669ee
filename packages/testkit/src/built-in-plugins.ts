import { directory } from "@capstan/plugin-directory";
import { helm } from "@capstan/plugin-helm";
import type { Plugin } from "@capstan/plugin-kit";
import { kustomize } from "@capstan/plugin-kustomize";

/** The tools that a source has a section for, as a repo server of a test has them. */
export const builtInPlugins: readonly Plugin[] = [helm, kustomize, directory];
