import { KubeError } from "@capstan/kube";
import { predictApply, refusalText } from "@capstan/planning";

type Arguments = Parameters<typeof predictApply>;

/** What an apply would make of an object, or why the cluster does not say. */
export type Prediction = Awaited<ReturnType<typeof predictApply>>;

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

function tellable({ object, refusal }: Prediction, { target }: Arguments[1]): Prediction {
  return refusal === undefined ? { object } : { refusal: refusalText(target, refusal) };
}
