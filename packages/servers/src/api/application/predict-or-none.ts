import { KubeError } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { predictApply } from "@capstan/planning";

type Arguments = Parameters<typeof predictApply>;

/** A page that shows what is in git is worth more than none while the cluster cannot tell (a webhook is down). */
export async function predictOrNone(
  ...[needs, prediction, signal]: Arguments
): Promise<Manifest | undefined> {
  try {
    return await predictApply(needs, prediction, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}
