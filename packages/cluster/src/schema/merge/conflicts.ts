import { ApiError, type FieldError } from "../../types.ts";
import { printPath } from "./field-set.ts";
import type { Manager } from "./managers.ts";

export interface Conflict {
  with: Manager;
  path: readonly string[];
}

/** The 409 of an apply, worded as managedfields/internal/conflict.go. */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const causes = conflicts.map(
    (conflict): FieldError => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${printManager(conflict.with)}`,
      field: printPath(conflict.path),
    }),
  );
  return new ApiError(409, "Conflict", messageOf(conflicts), { causes });
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [only] = conflicts;
  if (only && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${printManager(only.with)}: ${printPath(only.path)}`;
  const byManager = Map.groupBy(conflicts, (conflict) => printManager(conflict.with));
  const lines = [...byManager.keys()].sort().flatMap((manager) => {
    const paths = byManager.get(manager) ?? [];
    return [`conflicts with ${manager}:`, ...paths.map(({ path }) => `- ${printPath(path)}`)];
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function printManager(manager: Manager): string {
  const name = JSON.stringify(manager.manager);
  const subresource = manager.subresource ? ` with subresource ${JSON.stringify(manager.subresource)}` : "";
  return manager.operation === "Update"
    ? `${name}${subresource} using ${manager.apiVersion}`
    : `${name}${subresource}`;
}
