import type { Clock } from "@capstan/flow";
import { applyObject, isMadeAnew, isNotFound, KubeError, type TenantClient } from "@capstan/kube";
import { type ApplyMode, isCapstanError, type Manifest } from "@capstan/model";

export interface PredictNeeds {
  client: TenantClient;
  clock: Clock;
}

export interface Prediction {
  target: Manifest;
  live: Manifest;
  mode: ApplyMode;
}

export interface Predicted {
  readonly object?: Manifest | undefined;
  readonly refusal?: string;
  /** It was refused for lack of a right. */
  readonly isOpen: boolean;
  /** What it was refused for is no obstacle to a sync: it makes the object anew, or there is none any more. */
  readonly isNoObstacle?: boolean;
}

/**
 * What applying the target would make of the live object, by a dry run as whoever would apply it; or why the server
 * refuses (4xx), or nobody can act: that is not what is there. No answer at all is thrown: it tells nothing.
 */
export async function predictApply(
  needs: PredictNeeds,
  prediction: Prediction,
  signal: AbortSignal,
): Promise<Pick<Predicted, "object" | "refusal">> {
  const { object, refusal } = await predict(needs, prediction, signal);
  return { object, ...(refusal !== undefined && { refusal }) };
}

/** The same for who decides by it. */
export async function predict(
  needs: PredictNeeds,
  { target, live, mode }: Prediction,
  signal: AbortSignal,
): Promise<Predicted> {
  // Replace takes away what others wrote, but that it is there is no difference to git.
  const merging: ApplyMode = mode.method === "replace" ? { ...mode, method: "server-side" } : mode;
  try {
    const request = { object: target, live, mode: merging, dryRun: true, signal };
    return { object: (await applyObject(needs, request)).object, isOpen: false };
  } catch (error) {
    if (error instanceof KubeError && isRefusal(error)) {
      const isNoObstacle = isNotFound(error) || isMadeAnew({ object: target, mode }, error);
      return { refusal: error.message, isOpen: error.code === 403, isNoObstacle };
    }
    if (isCapstanError(error) && error.code === "NO_ACCOUNT") return { refusal: error.message, isOpen: true };
    throw error;
  }
}

/** That it has too much to do is no word on the object. */
function isRefusal({ code }: KubeError): boolean {
  return code >= 400 && code < 500 && code !== 429;
}
