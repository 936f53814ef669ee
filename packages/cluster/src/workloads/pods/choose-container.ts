import { ApiError } from "../../types.ts";
import type { Pod } from "../kinds.ts";

/** The container that is asked for, or the only one. As pkg/registry/core/pod/strategy.go LogLocation words it. */
export function chooseContainer(pod: Pod, asked: string | undefined): string {
  const { name = "" } = pod.metadata;
  const mains = pod.spec.containers.map((container) => container.name);
  const inits = (pod.spec.initContainers ?? []).map((container) => container.name);
  if (asked !== undefined && asked !== "") {
    if ([...mains, ...inits].includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const [only, ...others] = mains;
  if (only !== undefined && others.length === 0 && inits.length === 0) return only;
  const orInit = inits.length > 0 ? ` or one of the init containers: [${inits.join(" ")}]` : "";
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${mains.join(" ")}]${orInit}`,
  );
}

function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}
