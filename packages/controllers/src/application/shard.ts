import type { Application } from "@capstan/model";
import { annotationKeys } from "@capstan/model";
import { isRunning } from "./application-memory.ts";

/** Several controllers share the applications; what one needs of a `Membership` of kube. */
export interface Shard {
  /** Another one after each time at which others may have taken this process for gone. */
  readonly identity: string;
  /** Whether nobody can have taken this process for gone. */
  readonly isCurrent: boolean;
  /** Aborted when that may have happened: what was begun by this identity is another one's then. */
  readonly signal: AbortSignal;
  owns(key: string): boolean;
  /** Whether another one may be at work. */
  isLive(identity: string): boolean;
  onChange(listener: () => void): () => void;
}

/** Another controller has the operation, or may have it by now. */
export class NoLongerOurs extends Error {
  override readonly name = "NoLongerOurs";
}

/** Who does the operation that is running, where controllers share the work. */
export function operatedBy({ metadata, status }: Application): string | undefined {
  return isRunning(status?.operationState) ? metadata.annotations?.[annotationKeys.operatedBy] : undefined;
}

/**
 * Whether this controller looks at the application now. An operation that has begun stays with the one that began it for
 * as long as that one is heard of, whoever would have the application by now.
 */
export function isOurs(shard: Shard | undefined, key: string, app: Application | undefined): boolean {
  if (!shard) return true;
  const holder = app && operatedBy(app);
  if (holder === shard.identity) return shard.isCurrent;
  if (holder !== undefined && shard.isLive(holder)) return false;
  return shard.owns(key);
}

/** Before anything that another controller might be doing too; `signal` is that of the run. */
export function requireCurrent(shard: Shard | undefined, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (shard && !shard.isCurrent)
    throw new NoLongerOurs("this controller's Lease was not renewed in time: another one goes on");
}
