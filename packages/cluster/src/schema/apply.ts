import type { KubeObject } from "../types.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

export interface ApplyInput {
  schema: ResolvedSchema;
  live: KubeObject | undefined;
  applied: KubeObject;
  manager: string;
  force: boolean;
  subresource?: string;
  time: string;
}

export function serverSideApply(input: ApplyInput): KubeObject {
  return { ...input.live, ...input.applied };
}

export interface UpdateInput {
  schema: ResolvedSchema;
  before: KubeObject | undefined;
  after: KubeObject;
  manager: string;
  subresource?: string;
  time: string;
}

export function trackUpdate(input: UpdateInput): KubeObject {
  return input.after;
}
