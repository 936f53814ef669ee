import { qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";

export function validateProvisioner(report: Report, name: string, field: string): void {
  if (!name) report.required(field);
  else report.syntax(field, name.toLowerCase(), qualifiedName(name.toLowerCase()));
}
