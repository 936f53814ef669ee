import { normalizeApplicationSpec } from "@capstan/model";
import type { ApplicationRun } from "../application-run.ts";

/** What an Application says is kept in its shortest form. */
export function normalizeSpec({ app, draft }: ApplicationRun): void {
  draft.spec = normalizeApplicationSpec(app.spec);
}
