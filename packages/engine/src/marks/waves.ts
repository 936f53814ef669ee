import { annotationKeys, type Manifest } from "@capstan/model";

const integer = /^[+-]?\d+$/;

/** sync-wave, else Helm's hook weight, else 0 (gitops-engine pkg/sync/syncwaves). */
export function waveOf(manifest: Manifest): number {
  const { annotations } = manifest.metadata;
  for (const key of [annotationKeys.syncWave, annotationKeys.helmHookWeight]) {
    const text = annotations?.[key];
    if (text !== undefined && integer.test(text)) return Number(text);
  }
  return 0;
}
