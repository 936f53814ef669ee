import type { DiffRules, Targets } from "@capstan/engine";
import type { ApiResource, GeneralSettings } from "@capstan/kube";
import type { ApplicationSpec } from "@capstan/model";
import type { RenderedManifest } from "@capstan/wire";
import { Verdicts } from "./verdicts.ts";

export interface BuiltTargets {
  manifests: readonly RenderedManifest[];
  rows: readonly ApiResource[];
  general: GeneralSettings;
  namespace: string;
  /** The destination's namespace where it stands for itself, as JSON. */
  kept: string;
  targets: Targets;
}

/** What one comparison of an application hands on to the next, so that nothing is worked out twice. */
export class ComparisonMemory {
  readonly verdicts = new Verdicts();
  built: BuiltTargets | undefined;
  rules:
    | { general: GeneralSettings; ignored: ApplicationSpec["ignoreDifferences"]; rules: DiffRules }
    | undefined;
}
