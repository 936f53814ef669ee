import { objectAt, textAt } from "../json.ts";
import { labelName, subdomainName } from "./names.ts";
import type { Report } from "./report.ts";
import { requireTexts, type SourceRule } from "./source-rule.ts";

export function validateDriverName(report: Report, name: string, field: string): void {
  if (!name) {
    report.required(field);
    return;
  }
  if (name.length > 63) report.tooLong(field, "may not be more than 63 bytes");
  report.syntax(field, name, subdomainName(name.toLowerCase()));
}

const csiSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
];

export const persistentCsi: SourceRule = (report, source, field) => {
  validateDriverName(report, textAt(source, "driver"), `${field}.driver`);
  requireTexts(report, source, { field, names: ["volumeHandle"] });
  for (const secret of csiSecrets) {
    const reference = objectAt(source, secret);
    if (!reference) continue;
    const [name, namespace] = [textAt(reference, "name"), textAt(reference, "namespace")];
    report.named(`${field}.${secret}.name`, name, subdomainName);
    report.named(`${field}.${secret}.namespace`, namespace, labelName);
  }
};

export const csi: SourceRule = (report, source, field) => {
  validateDriverName(report, textAt(source, "driver"), `${field}.driver`);
  const reference = objectAt(source, "nodePublishSecretRef");
  if (!reference) return;
  const name = textAt(reference, "name");
  if (!name) report.required(`${field}.nodePublishSecretRef.name`);
  else report.syntax(`${field}.name`, name, subdomainName(name));
};
