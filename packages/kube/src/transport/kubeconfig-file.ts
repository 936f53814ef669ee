import { dirname, resolve } from "node:path";
import { CapstanError } from "@capstan/model";
import type { ClusterConfig } from "./cluster-config.ts";
import { moveKubeconfig, readKubeconfig } from "./read-kubeconfig.ts";
import { readSmallFile } from "./read-small-file.ts";

/** A person's own kubeconfig: it may name files, and programs that give credentials. */
export interface KubeconfigFile {
  readonly config: ClusterConfig;
  /** Its text for any other folder. */
  readonly moved: string;
}

/** `context`: its current-context by default. */
export async function openKubeconfig(file: string, context?: string): Promise<KubeconfigFile> {
  const folder = dirname(resolve(file));
  const text = await readSmallFile(file).catch((error: unknown) => {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "kubeconfig", problem }, error);
  });
  return {
    config: readKubeconfig(text, { folder, ...(context ? { context } : {}) }),
    moved: moveKubeconfig(text, folder),
  };
}
