import { KubeError } from "@capstan/kube";
import { predictApply } from "@capstan/planning";

type Arguments = Parameters<typeof predictApply>;

/** What an apply would make of an object, or why the cluster does not say. */
export type Prediction = Awaited<ReturnType<typeof predictApply>>;

const longestRefusal = 400;

/** A page that shows what is in git is worth more than none while the cluster cannot tell (a webhook is down). */
export async function predictOrTell(...[needs, asked, signal]: Arguments): Promise<Prediction> {
  try {
    return tellable(await predictApply(needs, asked, signal), asked);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof KubeError) return tellable({ refusal: error.message }, asked);
    throw error;
  }
}

/** A cluster's words may name the value that it refuses. */
function tellable(
  { object, refusal }: Prediction,
  { target: { apiVersion, kind } }: Arguments[1],
): Prediction {
  if (refusal === undefined) return { object };
  const isSecret = apiVersion === "v1" && kind === "Secret";
  return { refusal: isSecret ? "it refuses this Secret" : refusal.slice(0, longestRefusal) };
}
