import { type JsonObject, listAt, numberAt, objectAt, textAt } from "../json.ts";
import { csi, persistentCsi } from "./csi-sources.ts";
import { labelName } from "./names.ts";
import type { Report } from "./report.ts";
import { requireTexts, type SourceRule } from "./source-rule.ts";

const requires =
  (...names: readonly string[]): SourceRule =>
  (report, source, field) =>
    requireTexts(report, source, { field, names });

export function refuseBacksteps(report: Report, path: string, field: string): void {
  if (path.split("/").includes("..")) report.invalid(field, path, "must not contain '..'");
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

const hostPath: SourceRule = (report, source, field) => {
  const path = textAt(source, "path");
  if (!path) {
    report.required(`${field}.path`);
    return;
  }
  refuseBacksteps(report, path, `${field}.path`);
  const type = source.type;
  if (typeof type === "string" && !hostPathTypes.includes(type))
    report.unsupported(`${field}.type`, type, hostPathTypes);
};

const disk =
  (name: string): SourceRule =>
  (report, source, field) => {
    requireTexts(report, source, { field, names: [name] });
    const partition = numberAt(source, "partition") ?? 0;
    if (partition < 0 || partition > 255)
      report.invalid(`${field}.partition`, partition, "must be between 1 and 255, inclusive");
  };

const iqn = /^iqn\.\d{4}-\d{2}\.([a-z0-9-.]+)(:[^,;*&$|\s]+)$/;
const eui = /^eui.[0-9a-fA-F]{16}$/;
const naa = /^naa.[0-9a-fA-F]{32}$/;

function validateInitiator(report: Report, name: string, field: string): void {
  const shape = [iqn, eui, naa].find((_, index) => name.startsWith(["iqn", "eui", "naa"][index] ?? ""));
  if (!shape?.test(name)) report.invalid(field, name, "must be valid format");
}

const iscsi: SourceRule = (report, source, field) => {
  requireTexts(report, source, { field, names: ["targetPortal"] });
  const target = textAt(source, "iqn");
  if (!target) report.required(`${field}.iqn`);
  else validateInitiator(report, target, `${field}.iqn`);
  validateUnit(report, source.lun ?? 0, `${field}.lun`);
  const asks = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  if (asks && !objectAt(source, "secretRef")) report.required(`${field}.secretRef`);
  const initiator = source.initiatorName;
  if (typeof initiator === "string") validateInitiator(report, initiator, `${field}.initiatorname`);
};

function validateUnit(report: Report, unit: unknown, field: string): void {
  if (typeof unit === "number" && (unit < 0 || unit > 255))
    report.invalid(field, unit, "must be between 0 and 255, inclusive");
}

const fibreChannel: SourceRule = (report, source, field) => {
  const [names, ids] = [listAt(source, "targetWWNs"), listAt(source, "wwids")];
  const at = `${field}.targetWWNs`;
  if (names.length + ids.length === 0)
    report.required(at, "must specify either targetWWNs or wwids, but not both");
  if (names.length > 0 && ids.length > 0)
    report.invalid(at, names, "targetWWNs and wwids can not be specified simultaneously");
  if (names.length === 0) return;
  if (source.lun === undefined) report.required(`${field}.lun`, "lun is required if targetWWNs is specified");
  else validateUnit(report, source.lun, `${field}.lun`);
};

const quobyte: SourceRule = (report, source, field) => {
  const registry = textAt(source, "registry");
  const rule = "must be a host:port pair or multiple pairs separated by commas";
  if (!registry) report.required(`${field}.registry`, rule);
  else
    for (const pair of registry.split(","))
      if (!/^[^:]*:[^:]*$/.test(pair)) report.invalid(`${field}.registry`, registry, rule);
  requireTexts(report, source, { field, names: ["volume"] });
};

const flocker: SourceRule = (report, source, field) => {
  const [name, id] = [textAt(source, "datasetName"), textAt(source, "datasetUUID")];
  if (!name && !id) report.required(field, "one of datasetName and datasetUUID is required");
  if (name && id)
    report.invalid(field, "resource", "datasetName and datasetUUID can not be specified simultaneously");
  if (name.includes("/")) report.invalid(`${field}.datasetName`, name, "must not contain '/'");
};

const nfs: SourceRule = (report, source, field) => {
  requireTexts(report, source, { field, names: ["server", "path"] });
  const path = textAt(source, "path");
  if (!path.startsWith("/")) report.invalid(`${field}.path`, path, "must be an absolute path");
};

const flex: SourceRule = (report, source, field) => {
  requireTexts(report, source, { field, names: ["driver"] });
  for (const key of Object.keys(objectAt(source, "options") ?? {}))
    if (/(?:^|\.)(?:kubernetes|k8s)\.io$/.test(key.split("/")[0]?.toLowerCase() ?? ""))
      report.invalid(`${field}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved");
};

const cachingModes = ["None", "ReadOnly", "ReadWrite"];
const diskKinds = ["Dedicated", "Managed", "Shared"];
const managedDisk =
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

const azureDisk: SourceRule = (report, source, field) => {
  requireTexts(report, source, { field, names: ["diskName", "diskURI"] });
  const { cachingMode, kind } = source;
  const address = textAt(source, "diskURI");
  report.oneOf(`${field}.cachingMode`, cachingMode, cachingModes);
  report.oneOf(`${field}.kind`, kind, diskKinds);
  if (kind === "Managed" && !address.startsWith("/subscriptions/"))
    report.unsupported(`${field}.diskURI`, address, [managedDisk]);
  if (kind !== undefined && kind !== "Managed" && !address.startsWith("https://"))
    report.unsupported(`${field}.diskURI`, address, [blobDisk]);
};

const local: SourceRule = (report, source, field) => {
  const path = textAt(source, "path");
  if (!path) report.required(`${field}.path`);
  else refuseBacksteps(report, path, `${field}.path`);
};

interface SecretPlace {
  field: string;
  inNamespace: boolean;
}

/** A reference to a Secret, which of a PersistentVolume names its namespace too. */
function requireSecret(report: Report, source: JsonObject, { field, inNamespace }: SecretPlace): void {
  const names = inNamespace ? ["name", "namespace"] : ["name"];
  const secret = objectAt(source, "secretRef");
  if (secret) requireTexts(report, secret, { field: `${field}.secretRef`, names });
}

const cinder =
  (inNamespace: boolean): SourceRule =>
  (report, source, field) => {
    requireTexts(report, source, { field, names: ["volumeID"] });
    requireSecret(report, source, { field, inNamespace });
  };

const storageOs =
  (inNamespace: boolean): SourceRule =>
  (report, source, field) => {
    const [name, namespace] = [textAt(source, "volumeName"), textAt(source, "volumeNamespace")];
    report.named(`${field}.volumeName`, name, labelName);
    if (namespace) report.syntax(`${field}.volumeNamespace`, namespace, labelName(namespace));
    requireSecret(report, source, { field, inNamespace });
  };

const azureFileOfVolume: SourceRule = (report, source, field) => {
  requireTexts(report, source, { field, names: ["secretName", "shareName"] });
  if (source.secretNamespace === "") report.required(`${field}.secretNamespace`);
};

const iscsiOfVolume: SourceRule = (report, source, field) => {
  iscsi(report, source, field);
  const secret = objectAt(source, "secretRef");
  if (secret) requireTexts(report, secret, { field: `${field}.secretRef`, names: ["name"] });
};

const glusterOfVolume: SourceRule = (report, source, field) => {
  requireTexts(report, source, { field, names: ["endpoints", "path"] });
  const namespace = source.endpointsNamespace;
  const at = `${field}.endpointsNamespace`;
  if (namespace === "")
    report.invalid(at, "", "if the endpointnamespace is set, it must be a valid namespace name");
  else if (typeof namespace === "string") report.syntax(at, namespace, labelName(namespace));
};

const both: Readonly<Record<string, SourceRule>> = {
  hostPath,
  gcePersistentDisk: disk("pdName"),
  awsElasticBlockStore: disk("volumeID"),
  flocker,
  nfs,
  rbd: requires("monitors", "image"),
  quobyte,
  cephfs: requires("monitors"),
  fc: fibreChannel,
  flexVolume: flex,
  vsphereVolume: requires("volumePath"),
  photonPersistentDisk: requires("pdID"),
  portworxVolume: requires("volumeID"),
  azureDisk,
  scaleIO: requires("gateway", "system", "volumeName"),
};

/** Of a Pod, as far as no other file knows them. */
export const podSources: Readonly<Record<string, SourceRule>> = {
  ...both,
  glusterfs: requires("endpoints", "path"),
  iscsi,
  cinder: cinder(false),
  storageos: storageOs(false),
  azureFile: requires("secretName", "shareName"),
  csi,
};

const ofVolumes: Readonly<Record<string, SourceRule>> = {
  ...both,
  glusterfs: glusterOfVolume,
  iscsi: iscsiOfVolume,
  cinder: cinder(true),
  storageos: storageOs(true),
  azureFile: azureFileOfVolume,
  csi: persistentCsi,
  local,
};

/** Of a PersistentVolume, in the order in which kube-apiserver looks at them. */
export const persistentSources: readonly (readonly [string, SourceRule | undefined])[] = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
].map((name) => [name, ofVolumes[name]]);
