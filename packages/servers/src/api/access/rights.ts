import { type Application, CapstanError } from "@capstan/model";
import type { Identity } from "../../call.ts";

export interface Right {
  readonly resource: string;
  readonly action: string;
  readonly object: string;
}

export interface Rights {
  allows(user: Identity, right: Right): boolean;
}

export function requireRight(rights: Rights, user: Identity, right: Right): void {
  if (rights.allows(user, right)) return;
  throw rightMissing(user, right);
}

export function rightMissing({ name }: Identity, right: Right): CapstanError {
  return new CapstanError({ code: "RIGHT_MISSING", ...right, user: name });
}

/** `project/name`, with the namespace between when it is not the control namespace (v1alpha1 Application.RBACName). */
export function applicationObject({ metadata, spec }: Application, controlNamespace: string): string {
  const project = spec.project || "default";
  const { namespace, name } = metadata;
  return !namespace || namespace === controlNamespace
    ? `${project}/${name}`
    : `${project}/${namespace}/${name}`;
}
