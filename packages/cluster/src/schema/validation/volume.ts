import { isObject, type JsonObject, listAt, numberAt, textAt } from "../json.ts";
import { labelName } from "./names.ts";
import type { Report } from "./report.ts";
import { podSources } from "./volume-sources.ts";

/** Sources in the order in which the API server looks at them. */
const sources = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "cinder",
  "image",
];

/** The field that names what a source refers to, of those that people use most. */
const nameOf: Readonly<Record<string, string>> = {
  configMap: "name",
  secret: "secretName",
  persistentVolumeClaim: "claimName",
};

const largestMode = 0o777;

/** The names that may be mounted. */
export function validateVolumes(report: Report, volumes: readonly unknown[], field: string): Set<string> {
  const names = new Set<string>();
  for (const [index, volume] of volumes.entries()) {
    const at = `${field}[${index}]`;
    const before = report.errors.length;
    const name = textAt(volume, "name");
    if (isObject(volume)) validateSources(report, volume, at);
    report.named(`${at}.name`, name, labelName);
    if (name && names.has(name)) report.duplicate(`${at}.name`, name);
    if (report.errors.length === before) names.add(name);
  }
  return names;
}

function validateSources(report: Report, volume: JsonObject, field: string): void {
  const given = sources.filter((name) => isObject(volume[name]));
  if (given.length === 0) report.required(field, "must specify a volume type");
  for (const [index, name] of given.entries()) {
    const at = `${field}.${name}`;
    if (index > 0) {
      report.forbidden(at, "may not specify more than 1 volume type");
      continue;
    }
    const source = volume[name];
    const rule = podSources[name];
    if (rule && isObject(source)) {
      rule(report, source, name === "gcePersistentDisk" ? `${field}.persistentDisk` : at);
      report.settle(at);
      continue;
    }
    const key = nameOf[name];
    if (key && !textAt(source, key)) report.required(`${at}.${key}`);
    validateModes(report, source, at);
  }
}

function validateModes(report: Report, source: unknown, field: string): void {
  const detail = "must be a number between 0 and 0777 (octal), both inclusive";
  const check = (of: unknown, name: string, at: string): void => {
    const mode = numberAt(of, name);
    if (mode !== undefined && (mode < 0 || mode > largestMode)) report.invalid(`${at}.${name}`, mode, detail);
  };
  check(source, "defaultMode", field);
  for (const [index, item] of listAt(source, "items").entries()) {
    const at = `${field}.items[${index}]`;
    check(item, "mode", at);
    if (!textAt(item, "path")) report.required(`${at}.path`);
  }
}
